/** Runs once around a whole test run: one PostgreSQL for all test files. */
import { startTestServer, TEST_POSTGRES_URL } from './postgres.ts';

let stop: (() => Promise<void>) | undefined;

export async function globalSetup(): Promise<void> {
  if (process.env[TEST_POSTGRES_URL] !== undefined) return;
  const server = await startTestServer();
  stop = server.stop;
  process.env[TEST_POSTGRES_URL] = server.url;
}

export async function globalTeardown(): Promise<void> {
  await stop?.();
}
