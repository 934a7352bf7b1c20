/** What is said of a fungible token, in words. */
import type { Atoms } from '../../chain/types.ts';
import type { TokenRow } from '../../store/queries/tokens.ts';
import { type Html, html } from '../html.ts';
import { amount, exactAmount, percentage } from './amount.ts';
import { badge } from './badge.ts';
import { chainBytes } from './chain-text.ts';
import { meter } from './meter.ts';

/** An amount of the token with its ticker, which is no link on the token's own page. */
export function tokenAmount({ ticker, decimals }: Pick<TokenRow, 'ticker' | 'decimals'>, atoms: Atoms): Html {
  return amount(exactAmount(atoms, decimals), {
    unit: html`<span class="unit">${chainBytes(ticker, { most: 24 })}</span>`,
  });
}

/** How many there may ever be. */
export function supplyWords(token: TokenRow): Html {
  switch (token.total_supply_type) {
    case 'Fixed': {
      const limit = token.total_supply ?? 0n;
      const text = `${percentage(token.circulating_supply, limit)} minted`;
      return html`Fixed: never more than ${tokenAmount(token, limit)}, ${text}${meter(text, token.circulating_supply, limit)}`;
    }
    case 'Lockable':
      return token.is_locked
        ? html`Locked for ever: nothing can be minted or unminted any more`
        : html`Lockable: the authority can mint as much as it likes, until it locks the supply for ever`;
    case 'Unlimited':
      return html`Unlimited: the authority can always mint more`;
  }
}

/** Whether it can be moved now, and ever. */
export function freezeWords(token: TokenRow): Html {
  if (!token.is_frozen) {
    return token.is_freezable ? html`Not frozen; the authority can freeze it` : html`It can never be frozen`;
  }
  return html`${badge('frozen', 'bad')} Nothing of it can be moved. ${
    token.is_unfreezable === true ? 'The authority can unfreeze it' : 'It stays frozen for ever'
  }`;
}
