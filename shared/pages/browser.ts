/** As much of a browser's element as pages use. */
export interface PageElement {
  textContent: string | null;
  append(...nodes: (PageElement | string)[]): void;
  replaceChildren(...nodes: (PageElement | string)[]): void;
  setAttribute(name: string, value: string): void;
}

/** As much of an answer as pages use. */
interface PageResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  json(): Promise<unknown>;
}

/** As much of a browser's window as pages use: the platform is compiled without the types of browsers. */
export interface PageWindow {
  readonly document: {
    createElement(tag: string): PageElement;
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
