/** The parts of `saxen` that are used; the package has no types of its own. */
declare module 'saxen' {
  type Decode = (text: string) => string;
  type Context = () => { readonly line: number; readonly column: number };

  export class Parser {
    on(
      event: 'openTag',
      hear: (
        name: string,
        attributes: () => Readonly<Record<string, string>> | false,
        decode: Decode,
        isEmpty: boolean,
        context: Context,
      ) => void,
    ): this;
    on(event: 'closeTag', hear: (name: string) => void): this;
    on(event: 'text', hear: (text: string, decode: Decode) => void): this;
    on(event: 'cdata', hear: (text: string) => void): this;
    on(event: 'attention', hear: () => void): this;
    on(event: 'error' | 'warn', hear: (error: Error, context: Context) => void): this;
    parse(xml: string): void;
  }
}
