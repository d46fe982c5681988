/** Members of a browser's event that pages use. */
export interface PageEvent {
  /** Of a key. */
  readonly key?: string;
  preventDefault(): void;
}

/** The part of a browser's element that pages use. */
export interface PageElement {
  textContent: string | null;
  /** Of its room inside (px). */
  readonly clientWidth: number;
  append(...nodes: (PageElement | string)[]): void;
  replaceChildren(...nodes: (PageElement | string)[]): void;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
  focus(): void;
}

/** The part of a fetch response that pages use. */
interface PageResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  json(): Promise<unknown>;
}

/** The part of a browser's window that pages use: the platform is compiled without DOM types. */
export interface PageWindow {
  readonly document: {
    createElement(tag: string): PageElement;
    createElementNS(namespace: string, tag: string): PageElement;
    querySelector(selector: string): PageElement | null;
  };
  readonly location: {
    readonly hash: string;
    readonly origin: string;
    readonly pathname: string;
    readonly search: string;
  };
  readonly history: { replaceState(state: null, unused: string, path: string): void };
  fetch(
    address: string,
    request: {
      readonly headers: Readonly<Record<string, string>>;
      readonly [option: string]: unknown;
    },
  ): Promise<PageResponse>;
  setTimeout(work: () => void, ms: number): unknown;
}
