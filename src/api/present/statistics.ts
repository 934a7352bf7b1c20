/** Supply and holders of the coin and of each token, as JSON. */
import { destinationAddress } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms, Destination } from '../../chain/types.ts';
import { amountJson } from '../../render/common-values.ts';
import { objectJson, plainJson } from '../../render/compose-json.ts';
import { BECH32_SCHEMA, COUNT_SCHEMA, describedRef, schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import type { CsvTable } from '../../serving/route/csv.ts';
import type { StatisticsRow } from '../../store/queries/tokens/currency-statistics.ts';
import type { HolderBalance, ResponseProfile } from '../response-profile/profile.ts';
import { objectWriter } from './object-writer.ts';

const AMOUNTS = {
  circulating_supply: schemaRef('Amount'),
  preminted: schemaRef('Amount'),
  burned: schemaRef('Amount'),
  staked: schemaRef('Amount'),
};

export const COIN_STATISTICS_SCHEMA = strictObject(AMOUNTS);

export function presentCoinStatistics(network: Network, row: StatisticsRow): JsonTextOf<typeof COIN_STATISTICS_SCHEMA> {
  return amountsJson(row, network.coinDecimals, '');
}

export function tokenStatisticsSchema({ tokenStatistics }: ResponseProfile) {
  return strictObject({ ...AMOUNTS, ...tokenStatistics.properties });
}

/** The statistics of a fungible token or an NFT. */
export function presentTokenStatistics(
  { tokenStatistics }: ResponseProfile,
  row: StatisticsRow,
): JsonTextOf<ReturnType<typeof tokenStatisticsSchema>> {
  return amountsJson(row, row.decimals ?? 0, tokenStatistics.text(row));
}

function amountsJson(row: StatisticsRow, decimals: number, more: string): JsonTextOf<typeof COIN_STATISTICS_SCHEMA> {
  return objectJson(
    {
      burned: amountJson(row.burned, decimals),
      circulating_supply: amountJson(row.circulating_supply, decimals),
      preminted: amountJson(row.preminted, decimals),
      staked: amountJson(row.staked, decimals),
    },
    more,
  );
}

export function holderSchema({ holder }: ResponseProfile) {
  return strictObject({
    address: BECH32_SCHEMA,
    amount: describedRef('Amount', 'What can be spent, as `/address` shows it'),
    ...holder.properties,
  });
}

const SHARE_SCALE = 1_000_000n;

/** A holder after a block, the same in both profiles. */
export const HOLDER_AT_HEIGHT_SCHEMA = strictObject({
  address: BECH32_SCHEMA,
  amount: describedRef('Amount', 'Not under a time lock then'),
  locked: describedRef('Amount', 'Under a time lock'),
  total: describedRef('Amount', 'Both together, by which the list is sorted'),
  share_per_million: { ...COUNT_SCHEMA, description: '`amount` as a part of the circulating supply, rounded down' },
});

const pastHolderJson = objectWriter(HOLDER_AT_HEIGHT_SCHEMA);

export function presentPastHolder(
  network: Network,
  owner: Destination,
  { amount, locked, decimals, circulatingSupply }: HolderBalance,
): JsonTextOf<typeof HOLDER_AT_HEIGHT_SCHEMA> {
  return pastHolderJson({
    address: destinationAddress(network, owner),
    amount: amountJson(amount, decimals),
    locked: amountJson(locked, decimals),
    total: amountJson(amount + locked, decimals),
    share_per_million: circulatingSupply === 0n ? 0n : (amount * SHARE_SCALE) / circulatingSupply,
  });
}

/** The columns of exported holders. `holdingOf`: what a row says. */
export function pastHolderCsv<Row extends { readonly owner: Destination }>(
  network: Network,
  holdingOf: (row: Row) => HolderBalance,
): CsvTable<Row> {
  return {
    columns: ['address', 'amount', 'locked', 'total', 'share_per_million'],
    fields: (row) => {
      const { amount, locked, decimals, circulatingSupply } = holdingOf(row);
      const field = (atoms: Atoms) => ({ atoms, decimals });
      const share = circulatingSupply === 0n ? 0n : (amount * SHARE_SCALE) / circulatingSupply;
      return [
        destinationAddress(network, row.owner),
        field(amount),
        field(locked),
        field(amount + locked),
        Number(share),
      ];
    },
  };
}

export function presentHolder(
  network: Network,
  { holder }: ResponseProfile,
  owner: Destination,
  holding: HolderBalance,
): JsonTextOf<ReturnType<typeof holderSchema>> {
  return objectJson(
    {
      address: plainJson(destinationAddress(network, owner)),
      amount: amountJson(holding.amount, holding.decimals),
    },
    holder.text(holding),
  );
}
