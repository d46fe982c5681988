import type { Principal } from '../../../shared/security/principal.ts';
import type { TemplateCatalog } from '../catalog/template-catalog.ts';
import type { GenerationWarning, OutputFormat } from '../domain/documents/generation.ts';
import type { Template } from '../domain/documents/template.ts';
import type { FileVersion } from '../domain/documents/template-file.ts';
import type { MergeField } from '../domain/fields/field.ts';
import type { FormatSettings } from '../domain/formats/locale-defaults.ts';
import type { ImageOf } from '../domain/markers/marker-values.ts';
import type { BuiltinFacts, DocumentFacts } from '../domain/sources/builtin-values.ts';
import { ResolvedValues } from '../domain/sources/resolve-values.ts';
import type { SystemFacts } from '../domain/sources/system-values.ts';
import { problems } from '../errors.ts';
import type { ConstantRepository } from '../store/constant-repository.ts';
import type { FileRepository } from '../store/file-repository.ts';
import type { FactsReader } from '../values/facts-reader.ts';
import type { ImageValues } from '../values/image-values.ts';
import type { RecordValues } from '../values/record-values.ts';

import { isNumber, pathsIn, showsCompany, unusedWarnings, usesNumber } from './shown-fields.ts';

import type { PdfOptions } from './writing/document-writer.ts';

/** What a document is wanted of. */
export interface DocumentRequest {
  readonly outputFormat: OutputFormat;
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
  /** Values by field; they go before those of the record. */
  readonly entityData?: Readonly<Record<string, unknown>> | undefined;
  /** Default: the newest version of the file. */
  readonly fileVersion?: number | undefined;
  /** How a PDF is printed. */
  readonly pdf?: PdfOptions | undefined;
}

/** A document with everything that it is made of. */
export interface PreparedDocument {
  readonly template: Template;
  readonly file: FileVersion;
  readonly request: DocumentRequest;
  readonly fields: readonly MergeField[];
  readonly settings: FormatSettings;
  /** The one reading of the clock (epoch ms). */
  readonly nowMs: number;
  /** Whether the document shows a number. */
  readonly usesNumber: boolean;
  readonly warnings: readonly GenerationWarning[];
  /** The values, once the document has a name and a number. */
  readonly values: (document: DocumentFacts) => ResolvedValues;
  /** Reads images with the rights of the caller. */
  readonly imageOf: ImageOf;
}

interface PreparationDependencies {
  readonly catalog: TemplateCatalog;
  readonly fileRepository: FileRepository;
  readonly constants: ConstantRepository;
  readonly facts: FactsReader;
  readonly recordValues: RecordValues;
  readonly imageValues: ImageValues;
  readonly settings: FormatSettings;
  readonly allowedSettings: readonly string[];
}

/** Gathers what documents are made of, with the rights of their caller. */
export class Preparation {
  readonly #deps: PreparationDependencies;

  constructor(dependencies: PreparationDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @throws Problem `TEMPLATE_NOT_FOUND`, `FILE_VERSION_NOT_FOUND` (404), `TEMPLATE_NOT_ACTIVE`, `TEMPLATE_FILE_MISSING` (409),
   *   `REQUIRED_FIELD_MISSING` (422)
   */
  async prepare(
    templateId: string,
    request: DocumentRequest,
    principal: Principal,
    { requiresValues = true } = {},
  ): Promise<PreparedDocument> {
    const { fileRepository, facts, imageValues, settings } = this.#deps;
    const [{ template, file }, fields, constants] = await Promise.all([
      this.source(templateId, request, principal),
      fileRepository.fields(templateId),
      this.#deps.constants.all(principal.tenant ?? ''),
    ]);
    const [record, builtins, system] = await Promise.all([
      this.#record(template, request, () => pathsIn(fields, file), principal),
      facts.builtins(constants, principal, { hasCompany: showsCompany(fields, file) }),
      facts.system(fields, principal),
    ]);
    const values = (document: DocumentFacts) =>
      this.#values({ template, request, fields, record, builtins, system }, document);
    if (requiresValues) requireValues(values({}));
    return {
      ...{ template, file, request, fields, settings, values, nowMs: builtins.nowMs },
      imageOf: imageValues.of({ principal, record, entityId: request.entityId }),
      usesNumber: usesNumber(fields, file),
      warnings: [...(record === 'absent' ? [recordMissing] : []), ...unusedWarnings(fields, file)],
    };
  }

  /**
   * The template of a document and its file, without values.
   * @throws Problem `TEMPLATE_NOT_FOUND`, `FILE_VERSION_NOT_FOUND` (404), `TEMPLATE_NOT_ACTIVE`, `TEMPLATE_FILE_MISSING` (409)
   */
  async source(
    templateId: string,
    request: Pick<DocumentRequest, 'fileVersion'>,
    principal: Principal,
  ): Promise<Pick<PreparedDocument, 'template' | 'file'>> {
    return this.#withFile(await this.#active(templateId, principal), request);
  }

  async #active(id: string, principal: Principal): Promise<Template> {
    const template = await this.#deps.catalog.get(id, principal);
    if (template.status !== 'ACTIVE') throw problems.templateNotActive({ id });
    return template;
  }

  async #withFile(template: Template, request: Pick<DocumentRequest, 'fileVersion'>) {
    const { id } = template;
    if (!template.file) throw problems.templateFileMissing({ id });
    const { fileVersion = template.file.fileVersion } = request;
    const file = await this.#deps.fileRepository.find(id, fileVersion);
    if (!file) throw problems.fileVersionNotFound({ id, fileVersion });
    return { template, file };
  }

  #values(
    { template, request, fields, record, builtins, system }: Gathered,
    document: DocumentFacts,
  ): ResolvedValues {
    const { allowedSettings, settings } = this.#deps;
    const entityType = request.entityType ?? template.entityType;
    const { code: templateCode, name: templateName } = template;
    const about = { entityType, entityId: request.entityId, outputFormat: request.outputFormat };
    return new ResolvedValues({
      ...{ fields, system, allowedSettings, settings, entityType },
      entityData: request.entityData,
      record: record === 'absent' ? undefined : record,
      builtins: { ...builtins, document: { templateCode, templateName, ...about, ...document } },
    });
  }

  /** The record as its own GET shows it to the caller; without an id there is none. */
  async #record(
    template: Template,
    { entityId, entityType = template.entityType }: DocumentRequest,
    paths: () => readonly string[],
    principal: Principal,
  ) {
    if (entityId === undefined || entityType === undefined) return undefined;
    return this.#deps.recordValues.read(entityType, entityId, paths(), principal);
  }
}

interface Gathered extends Pick<PreparedDocument, 'template' | 'request' | 'fields'> {
  readonly record: Readonly<Record<string, unknown>> | 'absent' | undefined;
  readonly builtins: BuiltinFacts;
  readonly system: SystemFacts;
}

/** @throws Problem `REQUIRED_FIELD_MISSING` (422) */
function requireValues({ missingRequired }: ResolvedValues): void {
  const missing = missingRequired.filter((name) => !isNumber(name));
  if (missing.length > 0) throw problems.requiredFieldMissing(missing);
}

const recordMissing: GenerationWarning = {
  code: 'ENTITY_NOT_FOUND',
  message: 'There is no such record that the caller may see; only entityData counts.',
};
