/** The addresses of a wallet, the parameter `owners`, as a table `w`. */
export const WALLET_OWNERS_SQL = '(select unnest(:owners) as owner) w';
