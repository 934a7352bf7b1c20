/**
 * `/htlc/{hash}`: the HTLCs with the same secret hash. An atomic swap has two, both on this chain or one on another
 * chain.
 */

import { readTokenLabelsOfOutputs, type TokenLabels } from '../../answers/token-label.ts';
import { isContractOutput } from '../../chain/input-and-output-kinds.ts';
import { parseBlockReferenceJson, parseOutputEntryJson } from '../../render/stored-json.ts';
import { type HtlcRow, SECRET_HASH_HTLC_LIST } from '../../store/queries/addresses/htlcs.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { pageNotFound } from '../page-error.ts';
import { bytesHex } from '../parts/chain-text.ts';
import { valueHtml } from '../parts/describe-output.ts';
import { idHtml, outpointLink, shortId, thingPath, transactionLink, wholeIdLink } from '../parts/id-links.ts';
import { describeLock, endedLock } from '../parts/lock.ts';
import { pagingLinks, parseListPage, readListPage } from '../parts/paging.ts';
import { badge, type Property, propertyList } from '../parts/properties-and-badges.ts';
import { blockAndTime } from '../parts/time.ts';
import type { Site } from '../site.ts';
import { parseSecretHashInput } from '../visitor-input.ts';
import { say, textOf } from '../words/catalogue.ts';

type State = 'open' | 'claimed' | 'refunded';

export function htlcPage({ site }: ExplorerContext): AnyPage {
  const { network } = site;
  return definePage({
    path: '/htlc/:hash',
    parse: ({ params, query }) => {
      const secretHash = parseSecretHashInput(params.hash!);
      return { secretHash, page: parseListPage(query, SECRET_HASH_HTLC_LIST, { secretHash }, '10') };
    },
    read: async (store, { secretHash, page }) => {
      const list = await readListPage(store, SECRET_HASH_HTLC_LIST, page, { secretHash });
      return { ...list, labels: await readTokenLabelsOfOutputs(network, store, list.tip, list.rows) };
    },
    render: ({ tip, labels, ...shown }, { secretHash }) => {
      const { entries: contracts, isFirst, nextCursor } = shown;
      if (contracts.length === 0 && isFirst) {
        throw pageNotFound(
          say('No hashed time-lock contract on this chain has the hash {secretHash}.', { secretHash }),
        );
      }
      const secret = contracts.find((row) => row.secret !== null)?.secret;
      const states = contracts.map(stateOf);
      const path = thingPath('htlc', secretHash);
      const sections = contracts.map((row) => contract(site, labels, row, tip.height));
      return {
        title: say('HTLC {secretHash}', { secretHash: shortId(secretHash) }),
        description: say('Hashed time-lock contracts with the hash {secretHash} on Mintlayer {network}: {states}.', {
          secretHash,
          network: network.name,
          states: counted(states),
        }),
        canonical: path,
        isUnlisted: !isFirst,
        api: [`/htlc/${secretHash}`],
        body: html`<h1>HTLC ${[...new Set(states)].map((state) => html` ${badge(state, BADGES[state])}`)}</h1><p class="title-id">${idHtml(secretHash, { canCopy: true })}</p><p class="lead">Whoever knows the secret can claim the amount of a contract; after the time lock it can be refunded. An atomic swap uses two contracts with the same hash, one on each side.</p>${propertyList(
          [
            ['Contracts', nextCursor === null && isFirst ? counted(states) : html`${counted(states)} on this page`],
            ['Secret', secret ? bytesHex(secret) : html`<span class="muted">not revealed</span>`],
          ],
        )}${sections}${pagingLinks(site, path, shown)}`,
      };
    },
  });
}

const BADGES = { open: 'warning', claimed: 'good', refunded: 'plain' } as const;

function stateOf({ spent_block, secret }: HtlcRow): State {
  if (spent_block === null) return 'open';
  return secret === null ? 'refunded' : 'claimed';
}

const COUNTS = { open: '{count} open', claimed: '{count} claimed', refunded: '{count} refunded' } as const;

/** Returns a text such as "2 open, 1 claimed". */
function counted(states: readonly State[]): string {
  const counts = (['open', 'claimed', 'refunded'] as const).flatMap((state) => {
    const number = states.filter((each) => each === state).length;
    return number === 0 ? [] : [textOf(say(COUNTS[state], { count: number }))];
  });
  return counts.join(', ');
}

function contract(site: Site, labels: TokenLabels, row: HtlcRow, tipHeight: number): Html {
  const { outpoint, utxo } = parseOutputEntryJson(row.entry);
  if (!isContractOutput(utxo)) throw new Error(`an output of type ${utxo.type} in a list of HTLCs`);
  const { htlc, value } = utxo;
  const made = parseBlockReferenceJson(row.block_reference);
  const state = stateOf(row);
  const lock = [site, htlc.refund_timelock, made, state === 'open' ? tipHeight : null] as const;
  const since = endedLock(...lock);
  const id = `contract-${row.height}-${row.position}-${row.output_index}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${valueHtml({ site, labels }, value)} ${badge(state, BADGES[state])}</h2>${propertyList(
    [
      ['Claimable by', wholeIdLink(site, 'address', htlc.spend_key)],
      ['Refundable to', wholeIdLink(site, 'address', htlc.refund_key)],
      since === null ? ['Refund lock', describeLock(...lock)] : ['Refundable since', since],
      ['Output', outpointLink(site, outpoint.source_type, outpoint.source_id, outpoint.index)],
      ['Created', blockAndTime(site, made.height, made.timestamp)],
      ...spentProperties(site, row),
    ],
  )}</section>`;
}

function spentProperties(site: Site, { spent_block, spent_tx_id, spent_input_index, secret }: HtlcRow): Property[] {
  if (spent_block === null || spent_tx_id === null) return [];
  const spent = parseBlockReferenceJson(spent_block);
  const by = html`${transactionLink(site, spent_tx_id)} <span class="muted">input ${spent_input_index}</span>`;
  const name = secret === null ? 'Refunded' : 'Claimed';
  return [
    [secret === null ? 'Refunded by' : 'Claimed by', by],
    [name, blockAndTime(site, spent.height, spent.timestamp)],
  ];
}
