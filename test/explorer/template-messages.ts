/** Finds the templates of `html` in sources, without running them. */
import { readdirSync, readFileSync } from 'node:fs';
import { translateTemplate } from '../../src/explorer/words/template-words.ts';

/** Returns the messages in the templates of the explorer, each with a file that has it. */
export function templateMessages(folder: URL): Map<string, string> {
  const found = new Map<string, string>();
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  for (const file of files) {
    for (const strings of templatesIn(readFileSync(new URL(file, folder), 'utf8'))) {
      translateTemplate(strings, {
        translate: (message) => {
          found.set(message, file);
          return message;
        },
      });
    }
  }
  return found;
}

/** The texts of each template, between its values. Templates within a value are templates of their own. */
function templatesIn(source: string): string[][] {
  const templates: string[][] = [];
  let at = 0;

  /** Reads a template literal behind its first backtick. */
  function template(): string[] {
    const strings = [''];
    for (;;) {
      const character = source[at++];
      if (character === undefined) throw new Error('a template without an end');
      if (character === '`') return strings;
      if (character === '\\') at++;
      else if (character === '$' && source[at] === '{') {
        at++;
        code('}');
        strings.push('');
      } else strings[strings.length - 1] += character;
    }
  }

  /** Reads code up to the end of the file or to this bracket. */
  function code(end?: '}'): void {
    for (let depth = 0; at < source.length; ) {
      const character = source[at++]!;
      if (character === '`') {
        const isHtml = source.slice(0, at - 1).endsWith('html');
        const strings = template();
        if (isHtml) templates.push(strings);
      } else if (character === "'" || character === '"') {
        while (source[at] !== character) at += source[at] === '\\' ? 2 : 1;
        at++;
      } else if (character === '/' && source[at] === '/') at = source.indexOf('\n', at);
      else if (character === '/' && source[at] === '*') at = source.indexOf('*/', at) + 2;
      else if (character === '/' && /[(,=:[!&|?{};]\s*$/.test(source.slice(Math.max(0, at - 40), at - 1))) {
        for (let isClass = false; source[at] !== '/' || isClass; at++) {
          if (source[at] === '\\') at++;
          else if (source[at] === '[') isClass = true;
          else if (source[at] === ']') isClass = false;
        }
        at++;
      } else if (character === '{') depth++;
      else if (character === '}' && depth-- === 0 && end === '}') return;
    }
  }

  code();
  return templates;
}
