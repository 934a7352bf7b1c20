/** The page `/docs`, which shows the OpenAPI document and sends requests. It loads nothing from other hosts. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { etagOfText } from '../../serving/http/headers.ts';
import { PreparedResponse, sendCounted } from '../../serving/http/prepared-response.ts';
import type { RoutedRequest, RouteGroup } from '../../serving/http/routes.ts';
import type { ApiContext } from '../api-context.ts';

export const DOCUMENTATION_PATH = '/docs';
/** Browsers ask for the icon here if a response is no page, such as JSON. */
const ICON_PATH = '/favicon.ico';

/** The page, whose files are in a directory that it names relative to itself. */
const pageHtml = (directory: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mintlayer chain indexer</title>
<link rel="icon" href="${directory}/favicon.ico">
<link rel="stylesheet" href="${directory}/page.css">
</head>
<body>
<header><p><strong>Mintlayer</strong> API</p></header>
<div id="swagger-ui"></div>
<script src="${directory}/swagger-ui-bundle.js"></script>
<script src="${directory}/page.js"></script>
</body>
</html>
`;

/** The look of the explorer, and fields of parameters that are wide enough for ids. */
const PAGE_STYLE = `
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: #f4f7f6; font: 15px / 1.5 system-ui, sans-serif; }
header { border-bottom: 1px solid #e1e8e5; background: #fff; }
header p { display: flex; align-items: center; gap: 0.5em; margin: 0 auto; padding-block: 0.75em; }
header p, .swagger-ui .wrapper { width: 100%; max-width: 100rem; padding-inline: clamp(0.75rem, 2.5vw, 2rem); }
header p::before { content: ''; width: 28px; height: 28px; background: url(favicon.ico) 0 / contain; }
.explorer { margin-left: auto; }
.explorer, .swagger-ui .info a { color: #0a6b58; }
.swagger-ui :is(.info .title, .info :not(code, a), .opblock-tag, .opblock-tag *, .opblock-summary-description, .btn, table, label) { font-family: inherit; color: #14201b; }
.swagger-ui { font-family: inherit; }
.swagger-ui .info { max-width: 60rem; margin: 1.25rem 0; }
.swagger-ui .info .title { font-size: 1.5rem; font-weight: 600; }
.swagger-ui .info .title small { top: 0; vertical-align: middle; background: #57635e; }
.swagger-ui .info .title small.version-stamp { background: #0a6b58; }
.swagger-ui .info .title small pre { color: #fff; }
.swagger-ui .info :is(p, li) { font-size: 0.9375rem; }
.swagger-ui :is(.info, .renderedMarkdown) code { padding: 1px 5px; font: 400 0.875em ui-monospace, monospace; color: #14201b; background: #e6efeb; }
.swagger-ui .opblock-tag { padding-left: 0; font-size: 1.125rem; font-weight: 600; border: 0; }
.swagger-ui .opblock-tag small { font-size: 0.8125rem; color: #57635e; }
.swagger-ui .opblock { margin-bottom: 0.5rem; border-radius: 10px; box-shadow: none; }
.swagger-ui .opblock.opblock-get { border-color: #e1e8e5; background: #fff; }
.swagger-ui .opblock.opblock-get .opblock-summary { border-color: #e1e8e5; }
.swagger-ui .opblock .opblock-summary-method { border-radius: 6px; font-size: 0.8125rem; }
.swagger-ui .opblock.opblock-get .opblock-summary-method, .swagger-ui .btn.execute { border-color: #0a6b58; color: #fff; background: #0a6b58; }
.swagger-ui .parameters-col_description input[type='text'] { max-width: 100%; width: 46em; font-family: monospace; }
.swagger-ui .parameters-col_name { padding-right: 1em; width: 12em; }
.swagger-ui :is(.scheme-container, .operation-servers) { display: none; }
.swagger-ui :is(.opblock-body, .responses-inner, .table-container) { overflow-x: auto; }
.swagger-ui :is(.btn.cancel, .btn.btn-clear) { border-color: #87918d; color: #14201b; }
.swagger-ui .opblock.opblock-get .tab-header .tab-item.active h4 span::after { background: #0a6b58; }
.swagger-ui :is(.info .base-url, .info .title small pre, .opblock-summary-method) { font-family: inherit; }
.dark-mode { background: #f4f7f6; filter: invert(0.9) hue-rotate(180deg); }
`;

/**
 * The document; the theme that the explorer's pages keep in the browser, or the system's; and a link to those pages, if
 * there are any.
 */
const PAGE_SCRIPT = `
const root = location.pathname.replace(/docs.*/, '');
addEventListener('load', () => SwaggerUIBundle({
  dom_id: '#swagger-ui',
  url: root + 'docs/json',
  layout: 'BaseLayout',
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
}));
const dark = matchMedia('(prefers-color-scheme: dark)');
function applyTheme() {
  let theme;
  try { theme = localStorage.getItem('theme'); } catch {}
  document.documentElement.classList.toggle('dark-mode', theme === 'dark' || (theme !== 'light' && dark.matches));
}
applyTheme();
dark.addEventListener('change', applyTheme);
addEventListener('storage', applyTheme);
const link = document.createElement('a');
Object.assign(link, { className: 'explorer', href: root, textContent: 'Explorer' });
fetch(link.href, { method: 'HEAD' }).then(({ ok }) => ok && document.querySelector('header p').append(link), () => {});
`;

/** Allows this server only, also over plain HTTP, and inline styles, which the page uses. */
function contentSecurityPolicy(publicUrl: string): string {
  // "Execute" sends requests to this origin.
  const connect = publicUrl === '' ? '' : `connect-src 'self' ${new URL(publicUrl).origin};`;
  return (
    `default-src 'self';${connect}base-uri 'self';frame-ancestors 'self';img-src 'self' data:;object-src 'none';` +
    "script-src 'self';style-src 'self' 'unsafe-inline'"
  );
}

/** Adds `/docs` and its files, and the icon. */
export function documentationPageRoutes(routes: RouteGroup, { metrics, publicUrl }: ApiContext): void {
  const headers = ['content-security-policy', contentSecurityPolicy(publicUrl)];
  const page = (directory: string) => fileResponse(pageHtml(directory), 'text/html', headers);
  const files = [...FILES, ['', page('docs/static')], ['/', page('static')]] as const;
  const add = (path: string, name: string, file: PreparedResponse): void => {
    const handle = ({ raw, reply }: RoutedRequest) => sendCounted(metrics, name, raw, reply, file);
    routes.add({ method: 'GET', path, schema: null, handle });
  };
  for (const [path, file] of files) add(DOCUMENTATION_PATH + path, DOCUMENTATION_PATH, file);
  add(ICON_PATH, ICON_PATH, ICON);
}

function fileResponse(content: string, type: string, headers: readonly string[] = []): PreparedResponse {
  return new PreparedResponse(content, { contentType: `${type}; charset=utf-8`, etag: etagOfText(content), headers });
}

const ICON_BYTES = readFileSync(new URL('favicon.ico', import.meta.url));
const ICON = new PreparedResponse(ICON_BYTES, {
  contentType: 'image/x-icon',
  etag: etagOfText(ICON_BYTES.toString('latin1')),
});

const readPackageFile = (name: string) =>
  readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`), 'utf8');

/** The files of the page, which all servers of the process share. */
const FILES: readonly (readonly [path: string, PreparedResponse])[] = [
  ['/static/favicon.ico', ICON],
  ['/static/page.css', fileResponse(readPackageFile('swagger-ui.css') + PAGE_STYLE, 'text/css')],
  ['/static/page.js', fileResponse(PAGE_SCRIPT, 'text/javascript')],
  ['/static/swagger-ui-bundle.js', fileResponse(readPackageFile('swagger-ui-bundle.js'), 'text/javascript')],
];
