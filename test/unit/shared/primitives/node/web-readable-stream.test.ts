import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ReadableStream as ForBundles } from '../../../../../shared/primitives/node/web-readable-stream.ts';

const Global = globalThis.ReadableStream;
/** The class that bundles take for the global, with the global's type. */
const Stream = ForBundles as unknown as typeof Global;

const pulling = (text: string) => ({
  start(controller: ReadableStreamDefaultController<string>) {
    controller.enqueue(text);
    controller.close();
  },
});

describe('the ReadableStream of bundles', () => {
  it("makes Node's streams", async () => {
    const stream = new Stream(pulling('hello'));

    expect(Object.getPrototypeOf(stream)).toBe(Global.prototype);
    expect(await stream.getReader().read()).toEqual({ done: false, value: 'hello' });
  });

  it('refuses what the global refuses', () => {
    expect(() => Reflect.apply(Stream, undefined, [])).toThrow(TypeError);
    expect(() => Reflect.construct(Stream, [{ type: 'other' }])).toThrow(TypeError);
  });

  it.each([
    ['a stream of the global', new Global(), true],
    ['a stream of its own', new Stream(), true],
    ['a converted stream of Node', Readable.toWeb(Readable.from(['a'])), true],
    ['a stream of Node', Readable.from(['a']), false],
    ['an object with a reader', { getReader: () => undefined }, false],
    ['bytes', new Uint8Array(1), false],
    ['a text', 'text', false],
    ['nothing', undefined, false],
    ['null', null, false],
  ])('says whether it has made %s', (_, value, isStream) => {
    expect(value instanceof Stream).toBe(isStream);
    expect(Function.prototype[Symbol.hasInstance].call(Stream, value)).toBe(isStream);
  });

  it('has the name and the statics of the global', async () => {
    expect(Stream.name).toBe('ReadableStream');
    expect(typeof Stream).toBe('function');
    expect(await Stream.from(['a', 'b']).getReader().read()).toEqual({ done: false, value: 'a' });
  });

  it('can be extended', async () => {
    const OfTexts: new (source: ReturnType<typeof pulling>) => ReadableStream<string> = Stream;
    class Eager extends OfTexts {
      readonly first = this.getReader().read();
    }
    const stream = new Eager(pulling('hello'));

    expect(stream).toBeInstanceOf(Eager);
    expect(stream).toBeInstanceOf(Global);
    expect(await stream.first).toEqual({ done: false, value: 'hello' });
  });

  it('lends its methods to streams that are made otherwise', () => {
    const stream = new Global();

    Reflect.apply(Stream.prototype.getReader, stream, []);

    expect('tee' in Stream.prototype).toBe(true);
    expect(stream.locked).toBe(true);
  });
});
