/**
 * Counts the words that a visitor reads on pages before opening anything: `node bin/run.mjs bench/page-words.ts URL PATH…`.
 * Numbers are no words; an id is one. What `<details>` hide is not counted, and neither are header and footer.
 */
const [base = '', ...paths] = process.argv.slice(2);

/** The text of the page's main part. */
function shownText(page: string): string {
  const start = page.indexOf('<main');
  let main = page.slice(start, page.indexOf('</main>', start)).replace(/<(svg|option|script)\b[\s\S]*?<\/\1>/g, ' ');
  // The innermost first; of a closed one, the summary stays.
  for (let before = ''; before !== main; ) {
    before = main;
    main = main.replace(
      /<details\b([^>]*)>((?:(?!<details\b)[\s\S])*?)<\/details>/,
      (_, attributes: string, content: string) =>
        /\sopen\b/.test(attributes) ? content : (/<summary>([\s\S]*?)<\/summary>/.exec(content)?.[1] ?? ''),
    );
  }
  return main
    .replace(/<[^>]*\bhidden\b[^>]*>[^<]*/g, ' ')
    .replace(/<\/?span[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ');
}

for (const path of paths) {
  const response = await fetch(new URL(path, base), { headers: { accept: 'text/html' } });
  const words = shownText(await response.text()).match(/\S*\p{L}{2}\S*/gu) ?? [];
  process.stdout.write(`${response.status} ${String(words.length).padStart(5)} ${path}\n`);
}
