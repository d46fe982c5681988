import { isName } from '../../../shared/docx/index.ts';
import type { Files } from '../../../shared/files/files.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { checkFields, type FieldDeclaration } from '../domain/declarations/check-fields.ts';
import { requireSeen, type SeenVersion } from '../domain/documents/seen-version.ts';
import { isShownIn } from '../domain/documents/shown-names.ts';
import type { FileVersion, FoundField } from '../domain/documents/template-file.ts';
import { fieldKey, type MergeField } from '../domain/fields/field.ts';
import { problems } from '../errors.ts';
import type { ConstantRepository } from '../store/constant-repository.ts';
import { type FileRepository, MAX_FIELDS_BYTES } from '../store/file-repository.ts';
import type { FileService } from './file-service.ts';
import type { TemplateCatalog } from './template-catalog.ts';

/** A merge field that is declared, in the file, or both. */
export interface ListedField {
  readonly name: string;
  readonly declared: MergeField | undefined;
  /** Markers of the newest file. */
  readonly occurrences: number;
}

/** The merge fields of a template. */
export interface FieldList {
  readonly templateId: string;
  readonly version: number;
  readonly fileVersion: number | undefined;
  readonly fields: readonly ListedField[];
}

/** What the file of a template has, as it was uploaded. */
export interface FileInspection {
  readonly file: FileVersion;
  readonly inspection: Readonly<Record<string, unknown>>;
  /** Undeclared names in the file. */
  readonly unbound: readonly string[];
  /** Declared names that are not in the file. */
  readonly unused: readonly string[];
}

interface FieldServiceDependencies {
  readonly catalog: TemplateCatalog;
  readonly fileService: FileService;
  readonly fileRepository: FileRepository;
  readonly constants: ConstantRepository;
  readonly files: Files;
  readonly unitOfWork: RunUnitOfWork;
  readonly allowedSettings: readonly string[];
}

/** Larger than that of every file that is taken. */
const MAX_INSPECTION_BYTES = 64 * 1_024 * 1_024;

/** Merge fields of templates: what is declared of them, and what files have. */
export class FieldService {
  readonly #deps: FieldServiceDependencies;

  constructor(dependencies: FieldServiceDependencies) {
    this.#deps = dependencies;
  }

  /** Declared fields in their order, then those that only the newest file has. @throws Problem `TEMPLATE_NOT_FOUND` (404) */
  async list(id: string, principal: Pick<Principal, 'tenant'>): Promise<FieldList> {
    const { catalog, fileRepository } = this.#deps;
    const { file, version } = await catalog.get(id, principal);
    const stored = file && (await fileRepository.find(id, file.fileVersion));
    return {
      ...{ templateId: id, version, fileVersion: file?.fileVersion },
      fields: merged(await fileRepository.fields(id), stored?.found ?? []),
    };
  }

  /** @throws Problem `TEMPLATE_NOT_FOUND` (404), `TEMPLATE_FILE_MISSING` (409) */
  async inspect(id: string, principal: Pick<Principal, 'tenant'>): Promise<FileInspection> {
    const { catalog, fileService, fileRepository, files } = this.#deps;
    if (!(await catalog.get(id, principal)).file) throw problems.templateFileMissing({ id });
    const file = await fileService.get(id, undefined, principal);
    const stored = await files.read(file.inspectionPath, MAX_INSPECTION_BYTES);
    if (!stored) throw new Error(`The inspection ${file.inspectionPath} is gone`);
    const fields = merged(await fileRepository.fields(id), file.found);
    return {
      file,
      inspection: JSON.parse(Buffer.from(stored.body).toString()),
      unbound: fields.filter(({ declared }) => !declared).map(({ name }) => name),
      unused: fields.map(({ name }) => name).filter((name) => !isShownIn(file, name)),
    };
  }

  /**
   * Replaces the declarations of a template.
   * @throws Problem `TEMPLATE_NOT_FOUND` (404), `TEMPLATE_DELETED` (409), `VERSION_CONFLICT` (412), `API_SOURCE_NOT_SUPPORTED`,
   *   `MERGE_FIELDS_INVALID` (422)
   */
  async replace(
    id: string,
    declarations: readonly FieldDeclaration[],
    principal: Principal,
    seen: SeenVersion = {},
  ): Promise<FieldList> {
    const { catalog, fileRepository, unitOfWork } = this.#deps;
    await unitOfWork(async (unit) => {
      const template = await catalog.get(id, principal);
      requireSeen(template.version, seen);
      if (template.status === 'DELETED') throw problems.templateDeleted({ id });
      const fields = await this.checked(declarations, principal);
      fileRepository.stageFields(unit, id, fields);
      catalog.stageChange(unit, template, principal);
    });
    return this.list(id, principal);
  }

  /** Declarations that may be stored. @throws Problem `API_SOURCE_NOT_SUPPORTED`, `MERGE_FIELDS_INVALID` (422) */
  async checked(
    declarations: readonly FieldDeclaration[],
    { tenant = '' }: Pick<Principal, 'tenant'>,
  ): Promise<readonly MergeField[]> {
    const { constants: stored, allowedSettings } = this.#deps;
    const constants = new Map(
      (await stored.all(tenant)).map(({ code, value }) => [code, value] as const),
    );
    const errors = checkFields(declarations, { isName, allowedSettings, constants });
    if (errors.some(({ code }) => code === API_SOURCE))
      throw problems.apiSourceNotSupported(errors);
    if (errors.length > 0) throw problems.mergeFieldsInvalid(errors);
    const bytes = Buffer.byteLength(JSON.stringify(declarations));
    if (bytes > MAX_FIELDS_BYTES) throw problems.mergeFieldsInvalid([tooLarge(bytes)]);
    return declarations.filter(isSupported);
  }
}

const API_SOURCE = 'API_SOURCE_NOT_SUPPORTED';

const tooLarge = (bytes: number) => ({
  pointer: '/fields',
  code: 'TOO_LARGE',
  detail: `take ${bytes} bytes, at most ${MAX_FIELDS_BYTES} are stored`,
});

const isSupported = (field: FieldDeclaration): field is MergeField =>
  field.sourceType !== 'API' && field.dataType !== 'HTML';

function merged(declared: readonly MergeField[], found: readonly FoundField[]): ListedField[] {
  const counts = new Map(found.map(({ name, occurrences }) => [fieldKey(name), occurrences]));
  const known = new Set(declared.map(({ name }) => fieldKey(name)));
  return [
    ...declared.map((field) => ({
      name: field.name,
      declared: field,
      occurrences: counts.get(fieldKey(field.name)) ?? 0,
    })),
    ...found
      .filter(({ name }) => !known.has(fieldKey(name)))
      .map(({ name, occurrences }) => ({ name, declared: undefined, occurrences })),
  ];
}
