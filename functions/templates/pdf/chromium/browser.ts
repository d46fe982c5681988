import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Browser, HTTPRequest, Page } from 'puppeteer-core';
import { within } from '../../../../shared/primitives/time-limit.ts';
import { EngineBroken, type EngineOutput, type StartedEngine } from '../watching/started-engine.ts';

/** Where the browser lies, and what it is started with. */
export interface BrowserFiles {
  readonly executable: string;
  readonly flags: readonly string[];
  /** All that the browser is told of its environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** One page for the browser. */
export interface BrowserJob {
  readonly html: string;
  readonly tagged: boolean;
}

/** The page's own address: it leads nowhere, and whatever else the page asks for is denied. */
const ADDRESS = 'http://document.invalid/';
const PAGE_BYTES = 4_096;

/** One running browser. */
export class PrintingBrowser implements StartedEngine<BrowserJob> {
  readonly #launched: Promise<Browser>;
  /** Aborted when it is stopped, and when its process ends by itself. */
  readonly #end = new AbortController();
  /** Resolved when no process is left. */
  readonly #ended = Promise.withResolvers<void>();
  #process: ChildProcess | undefined;

  constructor(files: BrowserFiles, launchMs: number) {
    this.#launched = this.#launch(files, launchMs);
    // Whoever waits for it is told.
    this.#launched.catch(() => {
      if (!this.#process) this.#ended.resolve();
    });
  }

  async ready(): Promise<void> {
    await this.#orBroken(() => this.#launched);
  }

  convert({ html, tagged }: BrowserJob): Promise<EngineOutput> {
    return this.#orBroken(async () => {
      const page = await (await this.#launched).newPage();
      try {
        await show(page, html);
        const pdf = await page.pdf({
          ...{ preferCSSPageSize: true, printBackground: true, outline: false },
          ...{ tagged, timeout: 0 },
        });
        return { pdf, pages: await countPages(pdf) };
      } finally {
        await page.close();
      }
    });
  }

  /** What the browser takes of the memory; nothing is known of it where processes are not files. */
  get memoryBytes(): number {
    if (this.#process === undefined) return 0;
    try {
      const [, resident = '0'] = readFileSync(`/proc/${this.#process.pid}/statm`, 'utf8').split(
        ' ',
      );
      return Number(resident) * PAGE_BYTES;
    } catch {
      return 0;
    }
  }

  async stop(): Promise<void> {
    this.#end.abort(new Error('It was stopped'));
    this.#kill();
    await this.#ended.promise;
    this.#kill();
  }

  async #launch({ executable, flags, env }: BrowserFiles, timeout: number): Promise<Browser> {
    const { launch } = await import('puppeteer-core');
    const browser = await launch({
      ...{ executablePath: executable, headless: 'shell', args: [...flags], env: { ...env } },
      // A browser whose caller is gone reads the end of the pipe, and ends.
      ...{ pipe: true, timeout, protocolTimeout: 0, signal: this.#end.signal },
      ...{ handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false },
      // Asked before the first wait that outlasts a browser that dies: `launch` never returns then.
      targetFilter: (target) => {
        this.#watch(target.browser().process());
        return true;
      },
    });
    this.#watch(browser.process());
    return browser;
  }

  #watch(started: ChildProcess | null): void {
    if (!started || this.#process) return;
    this.#process = started;
    const end = (): void => {
      this.#end.abort(new Error('Its process has ended'));
      this.#ended.resolve();
    };
    started.once('exit', end);
    if (started.exitCode !== null || started.signalCode !== null) end();
  }

  /** The browser leads a group of processes. */
  #kill(): void {
    if (this.#process?.pid === undefined) return;
    try {
      process.kill(-this.#process.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }

  /** Work of the browser, which ends with it. */
  async #orBroken<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.#end;
    try {
      return await within(signal, work);
    } catch (thrown) {
      const cause = signal.aborted ? signal.reason : thrown;
      throw new EngineBroken(`The browser is gone: ${String(cause)}`, { cause });
    }
  }
}

/** Loads a page that runs no script and gets nothing but itself. */
async function show(page: Page, html: string): Promise<void> {
  await page.setJavaScriptEnabled(false);
  await page.setRequestInterception(true);
  let isShown = false;
  page.on('request', (request: HTTPRequest) => {
    const isPage = !isShown && request.isNavigationRequest() && request.url() === ADDRESS;
    isShown ||= isPage;
    const answer = { status: 200, contentType: 'text/html; charset=utf-8', body: html };
    // A request that ends meanwhile needs no answer.
    void (isPage ? request.respond(answer) : request.abort('aborted')).catch(() => undefined);
  });
  await page.goto(ADDRESS, { waitUntil: 'load', timeout: 0 });
}

async function countPages(pdf: Uint8Array): Promise<number> {
  const { ParseSpeeds, PDFDocument } = await import('@cantoo/pdf-lib');
  const reading = { updateMetadata: false, parseSpeed: ParseSpeeds.Fastest };
  return (await PDFDocument.load(pdf, reading)).getPageCount();
}
