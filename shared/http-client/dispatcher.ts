import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Dispatcher, buildConnector as UndiciConnector } from 'undici';
import request from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import { type AddressKind, addressKind } from './address-kind.ts';
import { refused, type TargetGuard } from './target.ts';

/** Resolves a name to all of its network addresses. */
export type ResolveName = (
  hostname: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** Options of the connections of a client. */
export interface DispatcherOptions {
  readonly guard: TargetGuard;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  /** Certificate authorities (PEM) instead of the defaults. */
  readonly certificateAuthorities?: string | readonly string[] | undefined;
  readonly resolveName?: ResolveName | undefined;
}

/**
 * Creates the connections of a client. Each is checked at connect time, by its actual address: a name that
 * resolves to another address between check and connect (DNS rebinding) gains nothing.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const agent = new Agent({
    connect: guardedConnector(options),
    headersTimeout: options.headersTimeoutMs,
    bodyTimeout: options.bodyTimeoutMs,
    pipelining: 1,
  });
  // The index of undici, which is not read, would add it to each dispatcher.
  return Object.assign(agent, { request });
}

function guardedConnector(options: DispatcherOptions): UndiciConnector.connector {
  const { guard, connectTimeoutMs, certificateAuthorities: ca } = options;
  const resolveName = options.resolveName ?? resolveBySystem;
  const connectors = new Map<string, UndiciConnector.connector>();

  const connectorOf = (kinds: ReadonlySet<AddressKind>): UndiciConnector.connector => {
    const name = [...kinds].join();
    const known = connectors.get(name);
    if (known) return known;
    const connector = buildConnector({
      timeout: connectTimeoutMs,
      lookup: guardedLookup(kinds, resolveName),
      ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
    });
    connectors.set(name, connector);
    return connector;
  };

  return (target, callback) => {
    const origin = originOf(target);
    const kinds = guard.kindsOf(origin);
    const fail = (error: Error) =>
      callback(error === NOT_PERMITTED ? refused(NOT_PERMITTED.message, origin) : error, null);
    // A literal IP address is not looked up.
    if (isIP(target.hostname) > 0 && !kinds.has(addressKind(target.hostname))) {
      fail(NOT_PERMITTED);
      return;
    }
    connectorOf(kinds)(target, (error, socket) => {
      if (error) {
        fail(error);
        return;
      }
      // Final check: the remote address of the connected socket.
      if (kinds.has(addressKind(socket.remoteAddress ?? ''))) {
        callback(null, socket);
        return;
      }
      socket.destroy();
      fail(NOT_PERMITTED);
    });
  };
}

const NOT_PERMITTED = new Error('the network address is not permitted');

function originOf({ protocol, hostname, port }: UndiciConnector.Options): string {
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return new URL(`${protocol}//${host}${port ? `:${port}` : ''}`).origin;
}

/** A DNS lookup that returns permitted addresses only; when none is left the target is refused. */
function guardedLookup(kinds: ReadonlySet<AddressKind>, resolveName: ResolveName): LookupFunction {
  return (hostname, { all }, callback) => {
    resolveName(hostname).then(
      (addresses) => {
        const permitted = addresses.filter(({ address }) => kinds.has(addressKind(address)));
        const [first] = permitted;
        if (!first) callback(NOT_PERMITTED, '', 0);
        else if (all) callback(null, permitted);
        else callback(null, first.address, first.family);
      },
      (cause: NodeJS.ErrnoException) => callback(cause, '', 0),
    );
  };
}

const resolveBySystem: ResolveName = (hostname) =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    );
  });
