/** The texts for crawlers, and for browsers that add the search. */
import { escapeHtml } from './html.ts';

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
  const name = escapeHtml(`Mintlayer ${networkName}`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
  <ShortName>${name}</ShortName>
  <Description>Blocks, transactions, addresses, pools and tokens of ${name}</Description>
  <InputEncoding>UTF-8</InputEncoding>
  <Url type="text/html" method="get" template="${escapeHtml(base)}/search?q={searchTerms}"/>
</OpenSearchDescription>
`;
}
