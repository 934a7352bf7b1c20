/** The part of a logger that the connection to the node uses; pino's loggers fit. */
export interface NodeLogger {
  debug?(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export const silentLogger: NodeLogger = { info() {}, warn() {} };
