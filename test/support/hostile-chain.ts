/** A chain on which everything that can hold a text holds a hostile one, and the paths of the pages that show them. */
import { destinationAddress, orderAddress, tokenAddress } from '../../src/chain/address.ts';
import { deriveOrderId, deriveTokenId, transactionId } from '../../src/chain/derive-ids.ts';
import type { Hex, Id, SignedTransaction, TxInput, TxOutput } from '../../src/chain/types.ts';
import { COIN, coins, OWNER, signed, spend, tokens, transfer } from '../ledger/small-world.ts';
import { HandmadeChain, issueNft, issueToken, tokenCommand } from './handmade-chain.ts';
import { hostileTexts } from './hostile-texts.ts';

export interface HostileChain {
  readonly chain: HandmadeChain;
  readonly texts: readonly Hex[];
  /** Pages on which the texts stand. */
  readonly paths: readonly string[];
}

/** `howMany` texts, each as the ticker and URI of a token, in every field of an NFT, and as data; every second token is traded. */
export function hostileChain(seed: string, howMany: number): HostileChain {
  const chain = new HandmadeChain([transfer(coins(1_000_000n * COIN))]);
  const { network } = chain;
  const texts = hostileTexts(seed, howMany);
  const paths: string[] = [];
  let left = 1_000_000n * COIN;
  let change: TxInput = spend(network.genesisId, 0, 'BlockReward');

  const add = (outputs: readonly TxOutput[], inputs: readonly TxInput[] = []): SignedTransaction => {
    left -= 300n * COIN;
    const made = signed([change, ...inputs], [transfer(coins(left)), ...outputs]);
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
  const owner = destinationAddress(network, OWNER);
  const lists = ['', '/balances', '/nfts', '/authority', '/orders', '/utxos', '/transactions'];
  paths.push(...lists.map((list) => `/address/${owner}${list}`));
  paths.push('/', '/txs', '/tokens', '/nfts', '/orders', `/block/${chain.blocks.length}`);
  return { chain, texts, paths };
}
