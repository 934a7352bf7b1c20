/** Tokens and NFTs as they are issued. */
import { isUtf8 } from 'node:buffer';
import { deriveTokenId } from '../../../chain/derive-ids.ts';
import { tokenIdGenerationAt } from '../../../chain/networks/network.ts';
import type { Hex, NftMetadata, TokenIssuance, TxInput } from '../../../chain/types.ts';
import { NOT_IN_A_BAG, UndoableBag } from '../undoable-collections.ts';
import type { SimulatedUtxo, SimulatedWorld } from '../world.ts';
import { refuseTransaction } from './refusal.ts';

const MAX_TICKER_BYTES = 12;
const MAX_URI_BYTES = 1024;
/** Letters and digits of any script: a node has them, too. */
const URI_LETTERS = /^[\p{Alphabetic}\p{N}%:/?#[\]@!$&'()*+,;=\-._~]*$/u;
const MAX_DECIMALS = 18;
const MAX_NFT_NAME_BYTES = 10;
const MAX_NFT_DESCRIPTION_BYTES = 100;
const MIN_MEDIA_HASH_BYTES = 4;
const MAX_MEDIA_HASH_BYTES = 32;

/** Throws TransactionRefusal for texts that a node does not take (docs/protocol.md#consensus-limits). */
export function checkNftTexts(metadata: NftMetadata): void {
  checkWord('token name', metadata.name, MAX_NFT_NAME_BYTES);
  checkWord('token ticker', metadata.ticker, MAX_TICKER_BYTES);
  checkWord('token description', metadata.description, MAX_NFT_DESCRIPTION_BYTES);
  checkLength('media hash', metadata.mediaHash, MIN_MEDIA_HASH_BYTES, MAX_MEDIA_HASH_BYTES);
  for (const uri of [metadata.iconUri, metadata.additionalMetadataUri, metadata.mediaUri]) checkUri('token URI', uri);
}

export function checkUriLength(what: string, uri: Hex): void {
  checkLength(what, uri, 0, MAX_URI_BYTES);
}

/** Throws TransactionRefusal unless it is text of letters, digits and what RFC 3986 allows besides. It may be empty. */
export function checkUri(what: string, uri: Hex): void {
  checkUriLength(what, uri);
  const bytes = Buffer.from(uri, 'hex');
  if (!isUtf8(bytes) || !URI_LETTERS.test(bytes.toString('utf8')))
    refuseTransaction(`Invalid token parameters: Invalid character in ${what}`);
}

/** Letters and digits, at least one. */
function checkWord(what: string, text: Hex, maxBytes: number): void {
  checkLength(what, text, 1, maxBytes);
  if (!/^[0-9A-Za-z]*$/.test(Buffer.from(text, 'hex').toString('latin1')))
    refuseTransaction(`Invalid token parameters: Invalid character in ${what}`);
}

function checkLength(what: string, bytes: Hex, least: number, most: number): void {
  if (bytes.length < 2 * least || bytes.length > 2 * most)
    refuseTransaction(`Invalid token parameters: Invalid ${what} length`);
}

/** Throws TransactionRefusal for texts that a node does not take. */
export function issueToken(world: SimulatedWorld, inputs: readonly TxInput[], issuance: TokenIssuance): void {
  checkWord('token ticker', issuance.ticker, MAX_TICKER_BYTES);
  checkUri('token metadata URI', issuance.metadataUri);
  if (issuance.numberOfDecimals > MAX_DECIMALS) refuseTransaction('Too many decimals');
  const token = {
    id: deriveTokenId(inputs, tokenIdGenerationAt(world.network, world.height))!,
    issuance,
    creationHeight: world.height,
    authority: issuance.authority,
    metadataUri: issuance.metadataUri,
    supply: 0n,
    minted: 0n,
    burned: 0n,
    forsaken: 0n,
    isLocked: false,
    frozen: 'No' as const,
    nonce: 0n,
    utxos: new UndoableBag<SimulatedUtxo>(world.journal),
    ...NOT_IN_A_BAG,
  };
  world.tokens.set(token.id, token);
  world.tokenBag.add(token);
}
