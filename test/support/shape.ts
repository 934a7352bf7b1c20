/** The shapes of responses, by type and form: checks of values, and of objects field by field. */

export type Check = (value: unknown) => boolean;
export type Fields = Readonly<Record<string, Check>>;

/** The fields of an object that are not what they should be, each with its value. */
export function wrongFields(it: object, expected: Fields): string[] {
  const values = it as Record<string, unknown>;
  return Object.entries(expected)
    .filter(([name, check]) => !check(values[name]))
    .map(([name]) => `${name} is ${JSON.stringify(values[name])}`);
}

export const string: Check = (it) => typeof it === 'string';
export const integer: Check = Number.isSafeInteger;
export const boolean: Check = (it) => typeof it === 'boolean';
export const array: Check = Array.isArray;
export const object: Check = (it) => typeof it === 'object' && it !== null && !Array.isArray(it);
export const text =
  (pattern: RegExp): Check =>
  (it) =>
    typeof it === 'string' && pattern.test(it);
export const nullOr =
  (check: Check): Check =>
  (it) =>
    it === null || check(it);
export const fields =
  (expected: Fields): Check =>
  (it) =>
    object(it) && wrongFields(it as object, expected).length === 0;
export const arrayOf =
  (check: Check): Check =>
  (it) =>
    Array.isArray(it) && it.length > 0 && it.every(check);

export const id = text(/^[0-9a-f]{64}$/);
export const hex = text(/^([0-9a-f]{2})+$/);
export const integerText = text(/^(0|[1-9][0-9]*)$/);
export const bech32 = (prefix: string) => text(new RegExp(`^${prefix}1[02-9ac-hj-np-z]+$`));
export const tokenId = bech32('rmltk');
export const poolId = bech32('rpool');
export const delegationId = bech32('rdelg');
export const orderId = bech32('rordr');
export const address = text(/^(rmt|rpmt|rmtc|rstc|rxanyonecanspend|r[a-z]*)1[02-9ac-hj-np-z]+$/);
export const amount = fields({ atoms: integerText, decimal: text(/^[0-9]+(\.[0-9]*[1-9])?$/) });
export const timestamp = fields({ timestamp: integer });
export const currency: Check = (it) =>
  fields({ type: text(/^Coin$/) })(it) || fields({ type: text(/^Token$/), token_id: tokenId })(it);

export const TRANSACTION: Fields = {
  id,
  block_id: id,
  confirmations: integerText,
  fee: amount,
  flags: integer,
  inputs: array,
  is_replaceable: boolean,
  outputs: array,
  timestamp: integer,
  tx_global_index: integer,
  version_byte: integer,
};
export const POOL: Fields = {
  pool_id: poolId,
  cost_per_block: amount,
  decommission_destination: address,
  delegations_balance: amount,
  margin_ratio_per_thousand: text(/^[0-9.]+%$/),
  staker_balance: amount,
  vrf_public_key: bech32('rvrfpk'),
};
export const ORDER: Fields = {
  order_id: orderId,
  ask_currency: currency,
  ask_balance: amount,
  give_currency: currency,
  give_balance: amount,
  initially_asked: amount,
  initially_given: amount,
  conclude_destination: address,
};
export const HEADER: Fields = {
  consensus_data: fields({ target: text(/^0x[0-9a-f]{64}$/) }),
  merkle_root: id,
  previous_block_id: id,
  timestamp,
  witness_merkle_root: id,
};
export const UTXO_ENTRY: Fields = {
  outpoint: fields({ source_type: text(/^(Transaction|BlockReward)$/), source_id: id, index: integer }),
  utxo: fields({ type: string }),
  block: fields({ block_id: id, height: integer, timestamp: integer }),
};
export const STATISTICS: Fields = {
  burned: amount,
  circulating_supply: amount,
  preminted: amount,
  staked: amount,
};
export const BLOCK: Fields = {
  header: fields(HEADER),
  body: fields({
    reward: arrayOf(fields({ destination: address, pool_id: poolId, type: text(/^ProduceBlockFromStake$/) })),
    transactions: arrayOf(fields({ id, fee: amount, inputs: array, outputs: array })),
  }),
};
export const TOKEN: Fields = {
  authority: address,
  circulating_supply: amount,
  frozen: boolean,
  is_locked: boolean,
  is_token_freezable: boolean,
  is_token_unfreezable: nullOr(boolean),
  metadata_uri: fields({ hex }),
  next_nonce: integer,
  number_of_decimals: integer,
  token_ticker: string,
  total_supply: amount,
};
export const NFT: Fields = {
  additional_metadata_uri: nullOr(string),
  creator: nullOr(address),
  description: nullOr(string),
  icon_uri: nullOr(string),
  media_hash: nullOr(hex),
  media_uri: nullOr(string),
  name: nullOr(string),
  owner: address,
  ticker: nullOr(string),
};
/** A delegation, by itself and in the list of a pool. */
export const DELEGATION: Fields = {
  balance: amount,
  creation_block_height: integer,
  next_nonce: integer,
  spend_destination: address,
};
