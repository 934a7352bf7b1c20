/** A `GET` of a browser whose path goes to the server as it is: `fetch` would tidy it. */
import { type IncomingHttpHeaders, request } from 'node:http';

export function getRaw(
  port: number,
  path: string,
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, headers: { accept: 'text/html' } };
    const asked = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks).toString() }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
}
