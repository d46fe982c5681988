import type { RecordRepository } from '../store/record-repository.ts';

/** Children of one record. */
export interface Siblings {
  readonly parentId: string;
  readonly ids: readonly string[];
}

/** Rows of one request, and records that one transaction marks. */
const PAGE = 90;

/**
 * Walks the records below a root, parents first. The path of a walk can be stored: a later walk with that path goes on
 * there, and begins with the siblings that the first one was at.
 */
export class SubtreeWalk {
  readonly #repository: RecordRepository;
  readonly #entity: string;
  readonly #path: string[];

  /** @param path where an earlier walk was */
  constructor(repository: RecordRepository, entity: string, path: readonly string[] = []) {
    this.#repository = repository;
    this.#entity = entity;
    this.#path = [...path];
  }

  /** The place of the child that is being walked, on each level. */
  get path(): readonly string[] {
    return [...this.#path];
  }

  async *below(parentId: string, level = 0): AsyncGenerator<Siblings> {
    let walked: string | undefined;
    for (let isEnd = false; !isEnd; ) {
      const from = walked ?? this.#path[level];
      const page = await this.#repository.children(this.#entity, parentId, { from, limit: PAGE });
      isEnd = page.isEnd;
      const children = page.children.filter(({ place }) => place !== walked);
      if (children.length > 0) yield { parentId, ids: children.map(({ id }) => id) };
      for (const { id, place } of children) {
        if (this.#path[level] !== place) this.#path.splice(level, this.#path.length, place);
        yield* this.below(id, level + 1);
        walked = place;
      }
    }
    this.#path.splice(level);
  }

  /** The records below a root and the root itself, children first; those that are deleted meanwhile are left out. */
  async *upTo(id: string): AsyncGenerator<string> {
    let from: string | undefined;
    for (let isEnd = false; !isEnd; ) {
      const page = await this.#repository.children(this.#entity, id, { from, limit: PAGE });
      isEnd = page.isEnd;
      for (const child of page.children) {
        if (child.place !== from) yield* this.upTo(child.id);
      }
      from = page.children.at(-1)?.place ?? from;
    }
    yield id;
  }
}
