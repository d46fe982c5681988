import type { EngineOutput } from '../watching/started-engine.ts';
import type { EngineJob } from './thread-messages.ts';

/** The files of the engine, in memory. */
interface EngineFileSystem {
  mkdir(path: string): void;
  writeFile(path: string, bytes: Uint8Array): void;
  readFile(path: string): Uint8Array;
  unlink(path: string): void;
}

/** What the WebAssembly module exports of LibreOfficeKit: pointers and numbers. */
export interface OfficeModule {
  readonly FS: EngineFileSystem;
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  _libreofficekit_hook(installPath: number): number;
  _lok_documentLoad(office: number, url: number): number;
  _lok_documentSaveAs(document: number, url: number, format: number, options: number): number;
  _lok_documentGetParts(document: number): number;
  _lok_documentCreateView(document: number): number;
  _lok_documentSetView(document: number, view: number): void;
  _lok_documentPostUnoCommand(
    document: number,
    command: number,
    args: number,
    notifies: number,
  ): void;
  _lok_documentDestroy(document: number): void;
  /** Commands are carried out before their call returns. */
  _lok_enableSyncEvents(): void;
}

/** The document is none that the engine can read or print. */
export class DocumentRefused extends Error {
  override readonly name = 'DocumentRefused';
}

const INSTALLED_IN = '/instdir';
const WORK = '/tmp/work';
const FONTS = `${INSTALLED_IN}/share/fonts/truetype`;

/** A font without Vietnamese letters that stands in for Cambria: words would be of two fonts. */
const LEFT_OUT = ['Regular', 'Bold', 'Italic', 'BoldItalic'].map((style) => `Caladea-${style}`);

/** Folders that LibreOffice expects of an installation that has been used before. */
const FOLDERS = [
  '/tmp',
  WORK,
  ...['', '/temp', '/temp/embeddedfonts', '/temp/embeddedfonts/fromdocs'].map(
    (path) => `${INSTALLED_IN}/user${path}`,
  ),
  `${INSTALLED_IN}/user/temp/embeddedfonts/fromsystem`,
  `${INSTALLED_IN}/user/registry`,
  `${INSTALLED_IN}/user/registry/data`,
];

/** LibreOffice by its own interface for embedding (LibreOfficeKit), one document at a time. */
export class OfficeKit {
  readonly #module: OfficeModule;
  readonly #office: number;

  /** Starts it; takes seconds. @param fonts besides its own. @throws Error when it does not start. */
  constructor(module: OfficeModule, fonts: readonly Uint8Array[] = []) {
    this.#module = module;
    for (const folder of FOLDERS) this.#makeFolder(folder);
    for (const font of LEFT_OUT) this.#remove(`${FONTS}/${font}.ttf`);
    for (const [at, font] of fonts.entries()) module.FS.writeFile(`${FONTS}/added-${at}.ttf`, font);
    this.#office = this.#withTexts([`${INSTALLED_IN}/program`], (path) =>
      module._libreofficekit_hook(path),
    );
    if (this.#office === 0) throw new Error('LibreOffice does not start');
    module._lok_enableSyncEvents();
  }

  /** @throws DocumentRefused; any other error means that the engine is of no use any more. */
  convert({ bytes, format, options }: EngineJob): EngineOutput {
    const { FS } = this.#module;
    const source = `${WORK}/document.${format}`;
    const target = `${WORK}/document.pdf`;
    FS.writeFile(source, bytes);
    try {
      const pages = this.#print(source, target, options);
      return { pdf: FS.readFile(target), pages };
    } finally {
      this.#remove(source);
      this.#remove(target);
    }
  }

  #print(source: string, target: string, options: EngineJob['options']): number {
    const module = this.#module;
    const document = this.#withTexts([`file://${source}`], (url) =>
      module._lok_documentLoad(this.#office, url),
    );
    if (document === 0) throw new DocumentRefused('LibreOffice cannot read the document');
    try {
      // Commands are for the view of somebody.
      module._lok_documentSetView(document, module._lok_documentCreateView(document));
      this.#withTexts(['.uno:UpdateAllIndexes', '{}'], (command, args) =>
        module._lok_documentPostUnoCommand(document, command, args, 0),
      );
      const saved = this.#withTexts(
        [`file://${target}`, 'pdf', filterOptions(options)],
        (url, format, filter) => module._lok_documentSaveAs(document, url, format, filter),
      );
      if (saved === 0) throw new DocumentRefused('LibreOffice cannot print the document');
      return module._lok_documentGetParts(document);
    } finally {
      module._lok_documentDestroy(document);
    }
  }

  /** Lends texts to a call, as C reads them. */
  #withTexts<T>(texts: readonly string[], call: (...pointers: number[]) => T): T {
    const pointers = texts.map((text) => this.#allocate(text));
    try {
      return call(...pointers);
    } finally {
      for (const pointer of pointers) this.#module._free(pointer);
    }
  }

  #allocate(text: string): number {
    const bytes = Buffer.from(`${text}\0`);
    const pointer = this.#module._malloc(bytes.length);
    // The heap may have grown, and then it is another array.
    this.#module.HEAPU8.set(bytes, pointer);
    return pointer;
  }

  #makeFolder(path: string): void {
    try {
      this.#module.FS.mkdir(path);
    } catch {
      // It is there already.
    }
  }

  #remove(path: string): void {
    try {
      this.#module.FS.unlink(path);
    } catch {
      // It was not written.
    }
  }
}

/** Options as the PDF export reads them: `{"SelectPdfVersion":{"type":"long","value":"2"}}`. */
function filterOptions(options: EngineJob['options']): string {
  const typed = Object.entries(options).map(([name, value]) => [
    name,
    { type: typeof value === 'boolean' ? 'boolean' : 'long', value: String(value) },
  ]);
  return JSON.stringify(Object.fromEntries(typed));
}
