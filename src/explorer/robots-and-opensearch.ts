/** The texts for crawlers, and for browsers that add the search. */

/**
 * Returns `robots.txt`: crawlers may read pages of the chain without a query, but not searches, later pages of lists or
 * the API.
 */
export function robotsText(basePath: string): string {
  const closed = ['/api/', '/docs', '/search', '/decode', '/metrics', '/*?'];
  return `User-agent: *\nCrawl-delay: 2\n${closed.map((path) => `Disallow: ${basePath}${path}\n`).join('')}`;
}

/** Returns the OpenSearch description, with which a browser adds this site to its search engines. */
export function openSearchXml(networkName: string, base: string): string {
  const escaped = base.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
  return `<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
  <ShortName>Mintlayer ${networkName}</ShortName>
  <Description>Blocks, transactions, addresses, pools and tokens of Mintlayer ${networkName}</Description>
  <InputEncoding>UTF-8</InputEncoding>
  <Url type="text/html" method="get" template="${escaped}/search?q={searchTerms}"/>
</OpenSearchDescription>
`;
}
