/**
 * Markets of simulated users: the oldest tokens have prices that walk, and orders and fills follow them. A price depends on the
 * token and the time alone, so blocks that are taken back leave nothing behind.
 */
import { DAY_SECONDS } from '../../../chain/calendar.ts';
import { ATOMS_PER_COIN } from '../../../chain/networks/network.ts';
import type { Atoms, SignedTransaction } from '../../../chain/types.ts';
import { makeOutputValue } from '../transaction-draft.ts';
import type { TransactionMakerContext } from '../transaction-maker-context.ts';
import type { SimulatedCurrency, SimulatedOrder, SimulatedToken, SimulatedWorld } from '../world.ts';

/** Tokens with fewer decimals have prices that jump with each fill. */
const MIN_DECIMALS = 6;
const TOKENS_SEARCHED = 32;
/** Takers look at so many open orders. */
const OFFERS_SEEN = 120;
/** A taker pays at most 1.5% more than the price of the moment. */
const MIN_ADVANTAGE = 0.985;
/** The waves of a price: their lengths in seconds, and how far they move its logarithm. */
const WAVES = [
  [13.1 * DAY_SECONDS, 0.22],
  [4.7 * DAY_SECONDS, 0.1],
  [1.6 * DAY_SECONDS, 0.05],
  [0.43 * DAY_SECONDS, 0.02],
] as const;

type Traded = SimulatedToken | 'coin';

/** The tokens with a market, the oldest first. */
function marketTokens({ world, habits }: TransactionMakerContext): SimulatedToken[] {
  return world.tokenBag.items
    .slice(0, TOKENS_SEARCHED)
    .filter(({ issuance, frozen }) => issuance.numberOfDecimals >= MIN_DECIMALS && frozen === 'No')
    .slice(0, habits.markets ?? 0);
}

/** Returns what a whole token is worth at a time, in coins. */
function tokenPrice({ id }: SimulatedToken, timestamp: number): number {
  const byte = (index: number) => Number.parseInt(id.slice(2 * index, 2 * index + 2), 16) / 256;
  const waves = WAVES.map(([length, height], i) => height * Math.sin(2 * Math.PI * (timestamp / length + byte(i))));
  return 10 ** (3 * byte(WAVES.length) - 1) * Math.exp(waves.reduce((sum, wave) => sum + wave, 0));
}

/** Returns what an atom is worth, in coins; null for a currency without a market. */
function atomPrice(
  maker: TransactionMakerContext,
  tokens: readonly SimulatedToken[],
  currency: SimulatedCurrency,
): number | null {
  if (currency === 'coin') return 1 / Number(ATOMS_PER_COIN);
  const token = tokens.find(({ id }) => id === currency);
  if (token === undefined) return null;
  return tokenPrice(token, maker.world.timestamp) / 10 ** token.issuance.numberOfDecimals;
}

/** Does the price of a token walk? */
export function hasMarket(maker: TransactionMakerContext, currency: SimulatedCurrency): boolean {
  return marketTokens(maker).some(({ id }) => id === currency);
}

/** An order near the price of the moment: most for coins, some between two tokens. Null without a market. */
export function marketOrder(maker: TransactionMakerContext): SignedTransaction | null {
  const { random } = maker;
  const tokens = marketTokens(maker);
  if (tokens.length === 0) return null;
  const base = tokens[random.skewed(tokens.length)]!;
  const other = tokens.find((token) => token !== base);
  const quote: Traded = other !== undefined && random.chance(0.15) ? other : 'coin';
  const offset = random.magnitude(0.002, 0.08);
  const isSale = random.chance(0.5);
  const [ofBase, ofQuote] = [atomsOfOne(base), atomsOfOne(quote)];
  const usual = worthOf(maker.world, base) / worthOf(maker.world, quote);
  const price = Number((usual * (isSale ? 1 + offset : 1 - offset)).toPrecision(3));
  const wholes = Math.max(Number((random.magnitude(20, 2_000) / worthOf(maker.world, base)).toPrecision(2)), 1e-3);
  const baseAtoms = BigInt(Math.round(wholes * 1e3)) * (ofBase / 1_000n);
  const quoteAtoms = (baseAtoms * BigInt(Math.round(price * 1e9)) * ofQuote) / (ofBase * 1_000_000_000n);
  if (baseAtoms === 0n || quoteAtoms === 0n) return null;
  const [give, ask]: readonly [Traded, Traded] = isSale ? [base, quote] : [quote, base];
  return offer(maker, give, isSale ? [baseAtoms, quoteAtoms] : [quoteAtoms, baseAtoms], ask);
}

const atomsOfOne = (currency: Traded): Atoms =>
  currency === 'coin' ? ATOMS_PER_COIN : 10n ** BigInt(currency.issuance.numberOfDecimals);

const worthOf = ({ timestamp }: SimulatedWorld, currency: Traded): number =>
  currency === 'coin' ? 1 : tokenPrice(currency, timestamp);

/** Offers amounts; less of both if somebody has not that many tokens. */
function offer(
  maker: TransactionMakerContext,
  give: Traded,
  [given, asked]: readonly [Atoms, Atoms],
  ask: Traded,
): SignedTransaction | null {
  const idOf = (currency: Traded) => (currency === 'coin' ? 'coin' : currency.id);
  const asking = (amount: Atoms) => makeOutputValue(idOf(ask), amount);
  if (give === 'coin') {
    return maker.draft().offer(maker.signer(), asking(asked), makeOutputValue('coin', given)).paidBy(null);
  }
  const utxo = give.utxos.pick(maker.random);
  if (utxo === undefined || utxo.destination === '00') return null;
  const amount = given < utxo.amount ? given : utxo.amount;
  const price = (asked * amount) / given;
  if (price === 0n) return null;
  return maker
    .draft()
    .spend(utxo)
    .offer(utxo.destination, asking(price), makeOutputValue(give.id, amount))
    .keepRest(utxo, amount)
    .paidBy(maker.ownerOf(utxo));
}

/** The best of some open orders for a taker, if it is near the price of the moment or better. */
export function bestOffer(
  maker: TransactionMakerContext,
  accepts: (order: SimulatedOrder) => boolean,
): SimulatedOrder | null {
  const { world, random } = maker;
  const tokens = marketTokens(maker);
  let best: SimulatedOrder | null = null;
  let advantage = MIN_ADVANTAGE;
  for (let seen = 0; seen < OFFERS_SEEN; seen++) {
    const order = world.openOrders.pick(random);
    if (order === undefined || order.giveBalance === 0n || isDustOf(order, order.askBalance) || !accepts(order))
      continue;
    const [gives, asks] = [order.give, order.ask].map(({ currency }) => atomPrice(maker, tokens, currency));
    if (gives == null || asks == null) continue;
    const found = (Number(order.give.amount) * gives) / (Number(order.ask.amount) * asks);
    if (found > advantage) [best, advantage] = [order, found];
  }
  return best;
}

/** Is this part of what an order asks so little that nobody would pay it alone? */
export const isDustOf = ({ ask }: SimulatedOrder, part: Atoms): boolean => part * 100n < ask.amount;
