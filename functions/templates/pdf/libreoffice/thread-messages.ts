import type { EngineOutput } from '../watching/started-engine.ts';

/** What an engine's thread is started with. */
export interface ThreadData {
  /** Tells the thread of an engine from other threads that load the same file. */
  readonly svcEngine: 'libreoffice';
  /** Folder with the unpacked engine. */
  readonly folder: string;
  /** Files of fonts besides those of the engine. */
  readonly fonts?: readonly string[];
}

/** One document for the engine. */
export interface EngineJob {
  readonly bytes: Uint8Array;
  /** Format of the bytes, as the ending of a file name. */
  readonly format: string;
  /** What the clock of the engine shows when it begins: fields of the document print it (ms). */
  readonly at: number;
  /** Options of the engine's PDF export. */
  readonly options: Readonly<Record<string, boolean | number>>;
}

/** What the thread says. */
export type ThreadMessage =
  | { readonly kind: 'ready' }
  | ({ readonly kind: 'done' } & EngineOutput)
  /** The document cannot be converted; the engine works on. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The engine is of no use any more. */
  | { readonly kind: 'broken'; readonly reason: string };
