import { Socket } from 'node:net';

/** Connections that this process has tried to open since the start. */
export interface Connections {
  /** `host:port` of each. */
  readonly tried: string[];
  stop(): void;
}

interface Target {
  readonly host?: string;
  readonly port?: number | string;
}

/** Records every connection of the process; all but those to one port of this machine are refused. */
export function recordConnections(allowedPort: number): Connections {
  const tried: string[] = [];
  const { connect } = Socket.prototype;
  const watched = function (this: Socket, ...given: unknown[]): Socket {
    const { host = 'localhost', port } = targetOf(given);
    tried.push(`${host}:${port}`);
    if (Number(port) === allowedPort && host === '127.0.0.1') {
      return Reflect.apply(connect, this, given);
    }
    queueMicrotask(() => this.destroy(new Error(`a connection to ${host}:${port} is refused`)));
    return this;
  };
  Object.assign(Socket.prototype, { connect: watched });
  return { tried, stop: () => void Object.assign(Socket.prototype, { connect }) };
}

/** Node calls `connect` with its options, or with a list that begins with them. */
function targetOf([first]: readonly unknown[]): Target {
  const options: unknown = Array.isArray(first) ? first[0] : first;
  return typeof options === 'object' && options !== null ? (options as Target) : {};
}
