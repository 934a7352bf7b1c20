/** Orders: created, filled in part and in whole, frozen, concluded, by the commands of the height's version. */
import { ATOMS_PER_COIN } from '../../../chain/networks/network.ts';
import type { Atoms, OutputValue, SignedTransaction, TxInput } from '../../../chain/types.ts';
import { fillPayout } from '../rules/apply-inputs.ts';
import { makeOutputValue, type TransactionDraft } from '../transaction-draft.ts';
import type { TransactionMaker, TransactionMakerContext } from '../transaction-maker-context.ts';
import type { SimulatedCurrency, SimulatedOrder, SimulatedToken, SimulatedUtxo } from '../world.ts';
import { bestOffer, hasMarket, isDustOf, marketOrder } from './markets.ts';

const ORDERS_TRIED = 8;
const PAYERS_OF_TOKENS = 16;

/** Returns an amount of coins to ask or give. */
function usualCoins(maker: TransactionMakerContext): OutputValue {
  return makeOutputValue('coin', maker.coins(1, 2_000));
}

/** Returns an amount of a token to ask or give: up to what one output usually contains. */
function usualTokens({ random }: TransactionMakerContext, token: SimulatedToken): OutputValue {
  const unit = 10n ** BigInt(token.issuance.numberOfDecimals);
  const whole = BigInt(Math.ceil(random.magnitude(1, 10_000))) * unit;
  return makeOutputValue(token.id, whole / (random.chance(0.3) ? 3n : 1n) + 1n);
}

const orderCreate: TransactionMaker = (maker) => {
  const { world, random, habits } = maker;
  if (habits.markets && random.chance(0.85)) return marketOrder(maker);
  const nft = random.chance(0.12) ? world.nftUtxos.pick(random) : undefined;
  if (nft !== undefined) return nftOrder(maker, nft);
  const token = maker.someToken((each) => each.utxos.size > 0 && !hasMarket(maker, each.id));
  if (token === null) return null;
  if (random.chance(0.4)) return coinsForTokens(maker, token);
  const utxo = token.utxos.pick(random);
  if (utxo === undefined) return null;
  const give = maker.partOf(utxo.amount / 2n + 1n);
  const isOther = (candidate: SimulatedToken) => candidate !== token && candidate.utxos.size > 0;
  const other = random.chance(0.25) ? maker.someToken(isOther) : null;
  const ask = other === null ? usualCoins(maker) : usualTokens(maker, other);
  const written = maker.draft().spend(utxo).offer(utxo.destination, ask, makeOutputValue(token.id, give));
  return utxo.destination === '00' ? null : written.keepRest(utxo, give).paidBy(maker.ownerOf(utxo));
};

function nftOrder(maker: TransactionMakerContext, nft: SimulatedUtxo): SignedTransaction | null {
  const ask = makeOutputValue('coin', maker.coins(5, 500));
  const give = makeOutputValue(nft.currency, 1n);
  return maker.draft().spend(nft).offer(maker.signer(), ask, give).paidBy(maker.ownerOf(nft));
}

function coinsForTokens(maker: TransactionMakerContext, token: SimulatedToken): SignedTransaction | null {
  const { give, ask } = sameOffer(maker, token) ?? { give: usualCoins(maker), ask: usualTokens(maker, token) };
  return maker.draft().offer(maker.signer(), ask, give).paidBy(null);
}

/** The remaining amounts of an open order, up to three times as much: at exactly the same price. */
function sameOffer({ world, random, habits }: TransactionMakerContext, { id }: SimulatedToken) {
  const { samePriceChance } = habits;
  if (samePriceChance === undefined || !random.chance(samePriceChance)) return null;
  const drawn = Array.from({ length: ORDERS_TRIED }, () => world.openOrders.pick(random));
  const order = drawn.find(
    (each) => each?.ask.currency === id && each.give.currency === 'coin' && each.askBalance > 0n,
  );
  if (order === undefined) return null;
  const times = BigInt(random.between(1, 3));
  return {
    give: makeOutputValue('coin', order.giveBalance * times),
    ask: makeOutputValue(id, order.askBalance * times),
  };
}

/** Can the currencies of an order move? */
const moves = ({ world }: TransactionMakerContext, { ask, give }: SimulatedOrder) =>
  !world.isFrozen(ask.currency) && !world.isFrozen(give.currency);

function someOrder(maker: TransactionMakerContext, accepts: (order: SimulatedOrder) => boolean): SimulatedOrder | null {
  const { openOrders } = maker.world;
  return openOrders.pickWhere(maker.random, ORDERS_TRIED, (order) => moves(maker, order) && accepts(order));
}

/**
 * Spends outputs of one owner in `currency` into the draft, and returns their amount: at most a few outputs, `wanted`
 * at most.
 */
function payTokens(
  { random }: TransactionMakerContext,
  written: TransactionDraft,
  token: SimulatedToken,
  wanted: Atoms,
) {
  let first: SimulatedUtxo | null = null;
  let collected = 0n;
  for (let attempt = 0; attempt < PAYERS_OF_TOKENS && collected < wanted; attempt++) {
    const utxo = token.utxos.pick(random);
    if (utxo === undefined || written.spends(utxo)) continue;
    first ??= utxo;
    written.spend(utxo);
    collected += utxo.amount;
  }
  if (first === null) return null;
  const paid = collected < wanted ? collected : wanted;
  return { paid, change: collected - paid, payer: first };
}

/** Where there are markets, the best offer, or now and then something that has none. */
function orderToFill(maker: TransactionMakerContext): SimulatedOrder | null {
  const { random, habits } = maker;
  const isFillable = ({ askBalance, isFrozen }: SimulatedOrder) => askBalance > 0n && !isFrozen;
  if (!habits.markets) return someOrder(maker, isFillable);
  if (random.chance(0.1))
    return someOrder(
      maker,
      (order) => isFillable(order) && ![order.ask, order.give].some(({ currency }) => hasMarket(maker, currency)),
    );
  return bestOffer(maker, (order) => isFillable(order) && moves(maker, order));
}

const orderFill: TransactionMaker = (maker) => {
  const { world, random } = maker;
  const order = orderToFill(maker);
  if (order === null) return null;
  const isWhole = random.chance(0.35) || order.askBalance === 1n;
  let wanted = isWhole ? order.askBalance : maker.partOf(order.askBalance);
  if (maker.habits.markets && isDustOf(order, order.askBalance - wanted)) wanted = order.askBalance;
  const written = maker.draft();
  let amount = wanted;
  let taker = maker.signer();
  const { currency } = order.ask;
  if (currency === 'coin') written.costs(amount);
  else {
    const token = world.tokens.get(currency);
    const payment = token === undefined ? null : payTokens(maker, written, token, wanted);
    if (payment === null) return null;
    amount = payment.paid;
    taker = payment.payer.destination;
    if (payment.change > 0n) written.transfer(currency, payment.change, taker);
  }
  const given = fillPayout(world, order, amount);
  const isV1 = world.ordersVersion === 1;
  if (isV1 && given === 0n) return null;
  const destination = random.chance(0.9) ? taker : maker.receiver();
  const command = { type: 'FillOrder', orderId: order.id, fillAmount: amount } as const;
  const input: TxInput = isV1
    ? { type: 'OrderAccountCommand', command }
    : { type: 'AccountCommand', nonce: order.nonce, command: { ...command, destination } };
  written.act(input, isV1 ? null : signingKey(destination, taker));
  if (order.give.currency === 'coin') written.takeCoins(given);
  if (given > 0n) written.transfer(order.give.currency, given, destination);
  return written.paidBy(world.owner(taker));
};

/** The historic destination of a fill signs for it where somebody of ours can. */
function signingKey(destination: string, taker: string): string {
  return destination.startsWith('03') ? taker : destination;
}

const orderFreeze: TransactionMaker = (maker) => {
  const { world } = maker;
  if (world.ordersVersion === 0) return null;
  const order = someOrder(maker, ({ isFrozen, concludeKey }) => !isFrozen && world.userKeys.owns(concludeKey));
  if (order === null) return null;
  const { id, concludeKey } = order;
  const input: TxInput = { type: 'OrderAccountCommand', command: { type: 'FreezeOrder', orderId: id } };
  return maker.draft().act(input, concludeKey).paidBy(world.owner(concludeKey));
};

/** Filled or frozen orders first, now and then one that still gives. */
const orderConclude: TransactionMaker = (maker) => {
  const { world, random } = maker;
  const ours = ({ concludeKey }: SimulatedOrder) => world.userKeys.owns(concludeKey);
  const finished = someOrder(maker, (order) => ours(order) && (order.askBalance === 0n || order.isFrozen));
  const order = finished ?? (random.chance(0.3) ? someOrder(maker, ours) : null);
  if (order === null) return null;
  const { id, concludeKey, nonce, ask, give, askBalance, giveBalance } = order;
  const command = { type: 'ConcludeOrder', orderId: id } as const;
  const isV1 = world.ordersVersion === 1;
  const input: TxInput = isV1 ? { type: 'OrderAccountCommand', command } : { type: 'AccountCommand', nonce, command };
  const written = maker.draft().act(input, concludeKey);
  const proceeds: [SimulatedCurrency, Atoms][] = [
    [ask.currency, ask.amount - askBalance],
    [give.currency, giveBalance],
  ];
  for (const [currency, amount] of proceeds) {
    if (amount === 0n) continue;
    if (currency === 'coin') written.takeCoins(amount);
    if (currency !== 'coin' || amount > ATOMS_PER_COIN) written.transfer(currency, amount, concludeKey);
  }
  return written.paidBy(world.owner(concludeKey));
};

export const ORDER_TRANSACTION_MAKERS = { orderCreate, orderFill, orderFreeze, orderConclude };
