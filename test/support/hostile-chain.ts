/** A chain on which everything that can hold a text holds a hostile one, and the paths of the pages that show them. */
import { isUtf8 } from 'node:buffer';
import { destinationAddress, orderAddress, tokenAddress } from '../../src/chain/address.ts';
import { deriveOrderId, deriveTokenId, transactionId } from '../../src/chain/derive-ids.ts';
import { regtest } from '../../src/chain/networks/known-networks.ts';
import type { Hex, Id, InputWitness, SignedTransaction, TxInput, TxOutput } from '../../src/chain/types.ts';
import { COIN, coins, OWNER, signed, spend, tokens, transfer } from '../ledger/small-world.ts';
import { HandmadeChain, issueNft, issueToken, tokenCommand } from './handmade-chain.ts';
import { hostileTexts } from './hostile-texts.ts';

export interface HostileChain {
  readonly chain: HandmadeChain;
  readonly texts: readonly Hex[];
  /** Pages on which the texts stand. */
  readonly paths: readonly string[];
}

/** Whoever gets back what HTLCs hold: nobody asks him. */
const REFUNDED = `01${'0c'.repeat(20)}`;

/**
 * `howMany` texts, each as the ticker and URI of a token, in every field of an NFT, as data, as the hash of an HTLC, in all witnesses,
 * and as the secret that opens the HTLC; every second token is traded. Texts in UTF-8 are in the message of the genesis, too.
 */
export function hostileChain(seed: string, howMany: number): HostileChain {
  const texts = hostileTexts(seed, howMany);
  const message = texts.map((hex) => Buffer.from(hex, 'hex')).filter((bytes) => isUtf8(bytes) && bytes.length < 1_000);
  const chain = new HandmadeChain([transfer(coins(1_000_000n * COIN))], regtest, Buffer.concat(message).toString());
  const { network } = chain;
  const paths: string[] = [];
  let left = 1_000_000n * COIN;
  let change: TxInput = spend(network.genesisId, 0, 'BlockReward');

  const add = (
    outputs: readonly TxOutput[],
    inputs: readonly TxInput[] = [],
    witnesses: readonly InputWitness[] = [],
  ): SignedTransaction => {
    left -= 300n * COIN;
    const unsigned = signed([change, ...inputs], [transfer(coins(left)), ...outputs]);
    const signatures = unsigned.signatures.map((witness, i) => witnesses[i] ?? witness);
    const made = { ...unsigned, signatures };
    change = spend(transactionId(made.transaction), 0);
    chain.add({ transactions: [made] });
    paths.push(`/tx/${transactionId(made.transaction)}`);
    return made;
  };

  for (const [i, text] of texts.entries()) {
    const other = texts[(i + 1) % texts.length]!;
    const nft: Id = Buffer.from(`hostile ${i}`).toString('hex').padEnd(64, '0');
    const issued = add([
      issueToken(text, other, 2, { type: 'Unlimited' }),
      issueNft(nft, text, other),
      { type: 'DataDeposit', data: text },
    ]);
    const tokenId = deriveTokenId(issued.transaction.inputs, 1)!;
    const token = tokenAddress(network, tokenId);
    paths.push(`/token/${token}`, `/nft/${tokenAddress(network, nft)}`);
    const ofLength = (bytes: number) => text.slice(0, 2 * bytes).padEnd(2 * bytes, '0');
    const lock = { type: 'ForBlockCount', value: BigInt(i % 3) } as const;
    const contract = { secretHash: ofLength(20), spendKey: OWNER, refundKey: REFUNDED, refundTimelock: lock };
    const witness: InputWitness = { type: 'NoSignature', data: text.slice(0, 2_000) };
    const locked = add(
      [1n, 0n, 2n].map((amount) => ({ type: 'Htlc', value: coins(amount), contract })),
      [],
      [witness],
    );
    const lockedId = transactionId(locked.transaction);
    const revealed: InputWitness = {
      type: 'Standard',
      sighashType: 1,
      rawSignature: `00${ofLength(32)}8d01${'cd'.repeat(99)}`,
    };
    add([], [spend(lockedId, 3)], [witness, revealed]);
    paths.push(`/tx/${lockedId}`, `/htlc/${contract.secretHash}`);
    if (i % 2 === 1) continue;
    const mint: TxInput = tokenCommand(0n, { type: 'MintTokens', tokenId, amount: 1_000n });
    const minted = add([{ type: 'Transfer', value: tokens(tokenId, 1_000n), destination: OWNER }], [mint]);
    const offer: TxOutput = {
      type: 'CreateOrder',
      order: { concludeKey: OWNER, ask: coins(300n + BigInt(i)), give: tokens(tokenId, 900n) },
    };
    const rest: TxOutput = { type: 'Transfer', value: tokens(tokenId, 100n), destination: OWNER };
    const uri: TxInput = tokenCommand(1n, { type: 'ChangeTokenMetadataUri', tokenId, metadataUri: other });
    const ordered = add([offer, rest], [spend(transactionId(minted.transaction), 1), uri]);
    const order = orderAddress(network, deriveOrderId(ordered.transaction.inputs)!);
    paths.push(`/market/${token}_${network.coinTicker}`, `/order/${order}`);
  }
  const lists = [
    '',
    '/balances',
    '/nfts',
    '/authority',
    '/orders',
    '/utxos',
    '/transactions',
    '/history',
    '/htlcs',
    '/unlocks',
  ];
  for (const owner of [OWNER, REFUNDED]) {
    const address = destinationAddress(network, owner);
    paths.push(...lists.map((list) => `/address/${address}${list}`));
  }
  paths.push('/', '/txs', '/tokens', '/nfts', '/orders', `/block/${chain.blocks.length}`);
  return { chain, texts, paths };
}
