/** `/verify-message`: checks whether a message was signed by the owner of an address. */

import { parse } from 'node:querystring';
import { destinationKind } from '../../chain/address.ts';
import type { SignatureFault } from '../../chain/signed-message.ts';
import type { Destination } from '../../chain/types.ts';
import { ApiError } from '../../serving/errors/api-error.ts';
import { isHex, MAX_SIGNED_MESSAGE_BYTES, parseSignedMessage } from '../../serving/parse/signed-message.ts';
import {
  type AnyPage,
  definePage,
  type ExplorerContext,
  type PageContent,
  type PostPage,
  type PostPageContent,
} from '../define-page.ts';
import { Attributes, type Html, html } from '../html.ts';
import { badInput, wordsOfError } from '../page-error.ts';
import { wholeIdLink } from '../parts/id-links.ts';
import { badge, banner } from '../parts/properties-and-badges.ts';
import type { Site } from '../site.ts';
import { parseAddressInput } from '../visitor-input.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';

const PATH = '/verify-message';

const FAULTS: Readonly<Record<Exclude<SignatureFault, 'malformed'>, Words>> = {
  bare_signature:
    'This is the bare signature that Trezor and Ledger return (64 bytes). What a wallet puts before it is missing: 00, the public key of the address (33 bytes) and 00; for an address that is a public key, 00 alone.',
  other_key: 'This signature was made with another key, or is damaged.',
  mismatch: 'The signature does not match this message and address. Check that both are exactly as they were signed.',
  incomplete: 'Signatures of the multisig are missing.',
  unsupported_address: 'Nobody can sign for an address of this kind.',
};

/** What a visitor has typed. */
interface Typed {
  readonly address: string;
  readonly message: string;
  readonly signature: string;
  /** Is the message bytes in hex? */
  readonly isHex: boolean;
}

export function verifyMessagePage({ site, answers }: ExplorerContext): AnyPage {
  const typed: Typed = { address: '', message: '', signature: '', isHex: false };
  return definePage({
    path: PATH,
    isAlwaysReady: true,
    parse: () => null,
    // The form does not depend on the tip. With its own tip it is cached like other pages.
    read: () => ({ tip: answers.tipWatch.tip }),
    render: () => content(site, typed, null),
  });
}

export function verifyMessagePostPage({ site, answers }: ExplorerContext): PostPage {
  return {
    path: PATH,
    bodyLimit: 2 * MAX_SIGNED_MESSAGE_BYTES,
    respond: async (body, caller): Promise<PostPageContent> => {
      const typed = typedIn(body);
      try {
        const owner = parseAddressInput(site.network, typed.address);
        const { message, isHex, ...fields } = typed;
        const said = isHex ? { message_hex: hexIn(message) } : { message };
        const fault = await answers.decoding.decode(
          'signedMessage',
          parseSignedMessage(site.network, { ...fields, ...said }),
          caller,
        );
        return { content: () => content(site, typed, verdict(site, typed, { owner, fault })), tip: null };
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 400) throw error;
        const problem = () => banner(html`${textOf(wordsOfError(error))}`, 'bad');
        return { content: () => ({ ...content(site, typed, problem()), status: 400 }), tip: null };
      }
    },
  };
}

/** Returns bytes in hex without white space. Throws the error 400. */
function hexIn(text: string): string {
  const hex = text.replace(/\s/g, '');
  if (!isHex(hex)) throw badInput('The message is not hexadecimal: use 0–9 and a–f, two characters for each byte.');
  return hex;
}

/** A form has the line ends of the network; wallets sign those of texts. */
function typedIn(body: Buffer): Typed {
  const fields = parse(body.toString('latin1'), '&', '=', { maxKeys: 4 });
  const text = (name: string) => String([fields[name] ?? ''].flat().at(-1));
  return {
    address: text('address').replace(/\s/g, ''),
    message: text('message').replaceAll('\r\n', '\n'),
    signature: text('signature').replace(/\s/g, ''),
    isHex: fields.hex !== undefined,
  };
}

/** Of a signature with the right length. */
const WRONG_PARTS = 'This signature has the right length, but it is damaged.';

/** What a signature for an address must be: its parts, with their lengths. */
function formatFor(owner: Destination, count: number): Words {
  switch (destinationKind(owner)) {
    case 'publicKey':
      if (count === 65) return WRONG_PARTS;
      return say(
        'This signature has {count} bytes. A signature for this address has 65 bytes: 00, then the signature itself (64 bytes).',
        {
          count,
        },
      );
    case 'publicKeyHash':
      if (count === 99) return WRONG_PARTS;
      return say(
        'This signature has {count} bytes. A signature for this address has 99 bytes: 00, the public key (33 bytes), 00, then the signature itself (64 bytes).',
        { count },
      );
    default:
      return 'For this address, a signature contains each signature with the number of its key (66 bytes each), how many are needed, and all public keys (34 bytes each).';
  }
}

interface Checked {
  readonly owner: Destination;
  readonly fault: SignatureFault | null;
}

function verdict(site: Site, { address, signature }: Typed, { owner, fault }: Checked): Html {
  const words = fault === 'malformed' ? formatFor(owner, signature.length / 2) : fault && FAULTS[fault];
  return words === null
    ? banner(html`${badge('valid', 'good')} The owner of ${wholeIdLink(site, 'address', address)} signed this message.`)
    : banner(html`${badge('invalid', 'bad')} ${textOf(words)}`, 'bad');
}

function content(site: Site, typed: Typed, result: Html | null): PageContent {
  return {
    title: 'Verify a message',
    section: 'verify-message',
    canonical: PATH,
    isUnlisted: result !== null,
    api: [],
    // What a visitor has typed or posted does not change.
    live: null,
    body: html`<h1>Verify a message</h1>${result}${form(site, typed)}`,
  };
}

function form(site: Site, { address, message, signature, isHex }: Typed): Html {
  const typing = Attributes.of({ autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' });
  return html`<p>Check whether a message was signed with the key of an address (“sign challenge” in wallets). Nothing is stored.</p><form class="decode" method="post" action="${site.href(PATH)}"><label for="address">Address</label><textarea id="address" name="address" required rows="2" maxlength="200"${typing}>${address}</textarea><label for="message">Message</label><textarea id="message" name="message" rows="4"${typing}>${'\n'}${message}</textarea><label><input type="checkbox" name="hex" value="1"${Attributes.of({ checked: isHex })}> Message is hex-encoded</label><label for="signature">Signature in hex</label><textarea id="signature" name="signature" required rows="4"${typing}>${signature}</textarea><button type="submit">Verify</button></form>`;
}
