import type { Duplex } from 'node:stream';

/** Error of Node's parser for a malformed request. */
interface ReadError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Node's default responses, by error code. */
const STATUS_LINES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Responds to a malformed request; a URL with non-ASCII characters is shown correctly encoded. */
export function answerMalformed(error: ReadError, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const body = error.code === 'HPE_INVALID_URL' ? problemOf(error.rawPacket) : '';
  const head = [
    `HTTP/1.1 ${STATUS_LINES[error.code ?? ''] ?? '400 Bad Request'}`,
    ...(body === '' ? [] : ['Content-Type: application/problem+json']),
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function problemOf(packet?: Buffer): string {
  const [, url = ''] = packet?.toString('latin1').split('\r\n', 1)[0]?.split(' ') ?? [];
  const escaped = url.replace(/[^!-~]/g, escapeByte);
  return JSON.stringify({
    type: 'urn:svc-cloud:problem:INVALID_PARAMETER',
    title: 'Invalid parameter',
    status: 400,
    detail: `A URL has ASCII characters only; write ${escaped}`,
    code: 'INVALID_PARAMETER',
  });
}

const escapeByte = (byte: string): string =>
  `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
