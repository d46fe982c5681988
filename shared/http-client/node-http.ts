/**
 * `node:http` for bundles. An import of the real one reads every export as it links, and some of them load the
 * whole of fetch and web sockets (about 20 ms of a cold start); this reads none of those.
 */
const http = process.getBuiltinModule('node:http');

export const {
  Agent,
  ClientRequest,
  IncomingMessage,
  METHODS,
  OutgoingMessage,
  STATUS_CODES,
  Server,
  ServerResponse,
  createServer,
  get,
  globalAgent,
  maxHeaderSize,
  request,
  validateHeaderName,
  validateHeaderValue,
} = http;
export default http;
