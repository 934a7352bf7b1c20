/** Where the web server logs: a pino logger, or anything like it. */
export interface ApiLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
