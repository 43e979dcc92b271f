import type { IncomingMessage } from 'node:http'

/** Whether the headers announce a body. One that is sent in chunks may turn out to be empty. */
export const announcesBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
