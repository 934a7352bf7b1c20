/**
 * `/decode`: explains a pasted transaction or block; `/decode/send`: submits a transaction if the operator allows it.
 */

import type { AnswersContext } from '../../answers/answers-context.ts';
import { MAX_SUBMISSION_BYTES, transactionSubmitterOf } from '../../answers/pending/submit-transaction.ts';
import type { Hex } from '../../chain/types.ts';
import { formField, hasAmpersand } from '../../serving/decoding/decoding-tasks.ts';
import { type DecodedPaste, MAX_DECODED_BYTES, type PastedTransaction } from '../../serving/decoding/pasted-text.ts';
import { ApiError } from '../../serving/errors/api-error.ts';
import type { Caller } from '../../serving/resources/caller.ts';
import { requireReady } from '../../serving/route/readiness.ts';
import { readOneSnapshot } from '../../store/read/one-snapshot.ts';
import {
  type AnyPage,
  definePage,
  type ExplorerContext,
  type PageContent,
  type PostPage,
  type PostPageContent,
  REQUEST_UNITS_OF_PAGE,
} from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { badInput } from '../page-error.ts';
import { chainText } from '../parts/chain-text.ts';
import { decodedBlockHtml, decodedTransactionHtml } from '../parts/decoded-transaction-or-block.ts';
import { wholeIdLink } from '../parts/id-links.ts';
import { banner } from '../parts/properties-and-badges.ts';
import { type DecodedTransactionData, readDecodedBlock, readDecodedTransaction } from '../read/decode-page-data.ts';
import type { Site } from '../site.ts';
import { messageFor, textOf } from '../words/catalogue.ts';

/** The longest pasted text: two characters of hex for each byte, and some white space. */
const MAX_TEXT_LENGTH = 2 * MAX_DECODED_BYTES + 8_192;
const BODY_LIMIT = MAX_TEXT_LENGTH + 65_536;
/** The longest pasted text that the page shows again. */
const MAX_SHOWN = 40_000;

export function decodePage({ site, answers }: ExplorerContext): AnyPage {
  return definePage({
    path: '/decode',
    isAlwaysReady: true,
    parse: ({ query }) => ({ hex: HEX.exec(String(query.hex ?? ''))?.[0] ?? '' }),
    // The form does not depend on the tip. With its own tip it is cached like other pages.
    read: () => ({ tip: answers.tipWatch.tip }),
    render: (_, { hex }) => content(form(site, hex)),
  });
}

export function decodePostPage({ site, answers }: ExplorerContext): PostPage {
  return {
    path: '/decode',
    bodyLimit: BODY_LIMIT,
    respond: async (body, caller): Promise<PostPageContent> => {
      answers.tipWatch.noteRequest();
      requireReady(answers);
      const text = shownText(body);
      const value = await answers.decoding.decode('pastedForm', body, caller);
      if (value.kind === 'undecodable') return { content: () => undecodable(site, text, value.reasons), tip: null };
      return answers.resources.requests.run(caller, REQUEST_UNITS_OF_PAGE, () =>
        explained(site, answers, text, value, caller),
      );
    },
  };
}

/** Submits a transaction to the node, as the API does. Null if the operator does not allow it. */
export function submitPage({ site, answers }: ExplorerContext): PostPage | null {
  if (!answers.enablePostRoutes) return null;
  const submit = transactionSubmitterOf(answers);
  return {
    path: SEND,
    bodyLimit: MAX_SUBMISSION_BYTES,
    respond: async (body, caller): Promise<PostPageContent> => {
      const text = shownText(body);
      try {
        const id = await submit(body, caller, true);
        return { content: () => sent(site, id), tip: null };
      } catch (error) {
        // 400: not a transaction; 500: refused by the node.
        if (error instanceof ApiError && error.status !== 503) {
          return { content: () => notSent(site, text, error.message), tip: null };
        }
        throw error;
      }
    },
  };
}

const SEND = '/decode/send';
/** What a search hands to the form. */
const HEX = /^[0-9a-fA-F]{1,2000}$/;
const ID = /^(?:0x)?[0-9a-fA-F]{64}$/;

async function explained(
  site: Site,
  answers: AnswersContext,
  text: string,
  value: Exclude<DecodedPaste, { kind: 'undecodable' }>,
  caller: Caller,
): Promise<PostPageContent> {
  const store = answers.store.for(caller);
  const { tip, body } = await readOneSnapshot(async () => {
    if (value.kind === 'transaction') {
      const explained = await readDecodedTransaction(answers, store, value, caller);
      return { tip: explained.tip, body: () => transactionBody(site, answers, value, explained) };
    }
    const explained = await readDecodedBlock(answers, store, value);
    return { tip: explained.tip, body: () => decodedBlockHtml(site, value, explained) };
  });
  const what = value.kind === 'transaction' ? 'transaction' : 'block';
  return { content: () => content(html`${body()}<h2>Decode another</h2>${form(site, text)}`, { what }), tip };
}

function transactionBody(
  site: Site,
  answers: AnswersContext,
  value: PastedTransaction,
  explained: DecodedTransactionData,
): Html {
  const canSend =
    answers.enablePostRoutes && value.signatures !== null && value.wallet === null && explained.state === 'unknown';
  return html`${decodedTransactionHtml(site, value, explained)}${canSend && sendForm(site, value.hex)}`;
}

function content(body: Html, { what, status }: { what?: 'block' | 'transaction'; status?: number } = {}): PageContent {
  return {
    title: what === undefined ? 'Decode' : what === 'block' ? 'Decoded block' : 'Decoded transaction',
    section: 'decode',
    canonical: '/decode',
    isUnlisted: what !== undefined || status !== undefined,
    api: [],
    // What a visitor has typed or posted does not change.
    live: null,
    body: what === undefined ? html`<h1>Decode</h1>${body}` : body,
    ...(status !== undefined && { status }),
  };
}

function form(site: Site, text: string): Html {
  return html`<p>Paste a transaction (signed, unsigned, or partially signed by a wallet) or a block in hex, as returned by wallets, the node and the API. It is decoded for ${site.network.name}; nothing is stored or broadcast.</p><form class="decode" method="post" action="${site.href('/decode')}"><label for="hex">Transaction or block in hex</label><textarea id="hex" name="hex" required rows="8" maxlength="${MAX_TEXT_LENGTH}" autocomplete="off" autocapitalize="off" spellcheck="false">${text}</textarea><button type="submit">Decode</button></form>`;
}

function sendForm(site: Site, hex: Hex): Html {
  return html`<section><h2>Broadcast</h2><p>The node checks the transaction and sends it to the network. This cannot be undone.</p><form method="post" action="${site.href(SEND)}"><input type="hidden" name="hex" value="${hex}"><button type="submit">Broadcast transaction</button></form></section>`;
}

function undecodable(site: Site, text: string, [first, ...others]: readonly string[]): PageContent {
  const more =
    others.length > 0 &&
    html`<details><summary>Other errors</summary>${others.map((each) => html`<p>${reasonText(each)}</p>`)}</details>`;
  const id = text.trim();
  const message = ID.test(id)
    ? html`This is an id, not a transaction or block: <a href="${site.href('/search', { q: id })}">search for it</a>.`
    : html`${reasonText(first!)}`;
  const problem = html`${banner(message, 'bad')}${more}`;
  return content(html`${problem}${form(site, text)}`, { status: 400 });
}

/** The decoder's own words are English. */
const reasonText = (reason: string): string =>
  textOf(
    messageFor(`${reason}.`, [
      'As a transaction: {reason}.',
      'As a partially signed transaction: {reason}.',
      'As a block: {reason}.',
    ]),
  );

function sent(site: Site, id: string): PageContent {
  const body = html`<h1>Transaction sent</h1><p class="lead">The node has accepted the transaction: ${wholeIdLink(site, 'tx', id)}</p>`;
  return content(body, { what: 'transaction' });
}

/** The longest part of the node's refusal that is shown. It stands in a paragraph, so it cannot be folded. */
const MAX_REASON_LENGTH = 1_000;

function notSent(site: Site, text: string, reason: string): PageContent {
  const body = html`${banner(html`The transaction was not sent. ${chainText(reason, { most: MAX_REASON_LENGTH })}`, 'bad')}${form(site, text)}`;
  return content(body, { status: 400 });
}

/** Returns the pasted text to show again. Throws the error 400 for a form with other fields. */
function shownText(body: Buffer): string {
  if (hasAmpersand(body)) throw badInput('The form has one field.');
  return body.length > MAX_SHOWN ? '' : formField(body);
}
