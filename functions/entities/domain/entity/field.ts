/** Type of a field, derived from its schema. */
export type FieldType =
  | 'STRING'
  | 'ENUM'
  | 'TEXT'
  | 'DATE'
  | 'DATETIME'
  | 'TIME'
  | 'UUID'
  | 'EMAIL'
  | 'URI'
  | 'INTEGER'
  | 'NUMBER'
  | 'DECIMAL'
  | 'BOOLEAN'
  | 'REFERENCE'
  | 'MULTI'
  | 'JSON'
  | 'FILE';

/**
 * State of an index: `WRITE_ONLY` rows are written, `BUILDING` older records are being added, `READY` queries use
 * it, `DROPPING` its rows are being deleted.
 */
export type IndexState = 'WRITE_ONLY' | 'BUILDING' | 'READY' | 'DROPPING';

/** What happens to references when the record they point to is deleted. */
export type OnDelete = 'restrict' | 'setNull' | 'none';

/** A field that points to records of an entity. */
export interface Reference {
  readonly entity: string;
  /** Display field of the target in lists. */
  readonly labelField?: string;
  readonly onDelete: OnDelete;
}

/** What the files of a field may be: `x-file`. */
export interface FileRules {
  /** Media types such as `application/pdf` or `image/*`; any when there is no list. */
  readonly types?: readonly string[];
  readonly maxBytes: number;
}

/** A field of an entity, derived from its form schema and stored as `DYN_FIELD_DEFINITION`. */
export interface FieldDefinition {
  readonly code: string;
  readonly name: string;
  readonly description?: string;
  readonly fieldType: FieldType;
  /** Type of the elements when `fieldType` is `MULTI`. */
  readonly elementType?: FieldType;
  /** JSON type: `string`, `number`, `array`... */
  readonly dataType: string;
  readonly format?: string;
  readonly required: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly enumLabels?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly pattern?: string;
  readonly readOnly: boolean;
  /** Format of the numbers that new records get: `x-number`. */
  readonly numberFormat?: string;
  /** What its files may be; a field without it has none: `x-file`. */
  readonly file?: FileRules;
  readonly writeOnly: boolean;
  /** Stored encrypted; neither searched nor sorted. */
  readonly encrypted: boolean;
  /** Its values may be cipher texts of records that do not list them, as those of earlier versions. */
  readonly sealedByForm?: boolean;
  readonly unique: boolean;
  /** Whether values that differ in accents alone are different for `x-unique`. */
  readonly accents?: true;
  /** Whether lists may filter by it. */
  readonly searchable: boolean;
  /** `word`: searched by `q`. */
  readonly searchMode: 'none' | 'word';
  /** Whether records are counted per value. */
  readonly facet: boolean;
  /** In definitions of earlier versions: the schema version since which records are counted per value. */
  readonly facetSince?: number;
  readonly sortable: boolean;
  readonly reference?: Reference;
  /** Position in a form, from 0. */
  readonly order: number;
  readonly widget?: string;
  readonly group?: string;
  readonly visible: boolean;
  /** Schema version that introduced or last changed it. */
  readonly schemaVersion: number;
  /** Former code under which older values are stored. */
  readonly renamedFrom?: string;
  /** All codes under which the history of records may name it. */
  readonly formerCodes?: readonly string[];
}

/** Rows that a list reads in order: those of one field, of a combination, or of the words of a record. */
export interface IndexDefinition {
  /** Name of its partition; a rebuilt index has another one than before. */
  readonly name: string;
  readonly kind: 'field' | 'composite' | 'words';
  readonly fields: readonly string[];
  readonly state: IndexState;
  /** Generation that records are without it from, when it is dropped. */
  readonly until?: number;
}

/** Fields whose combined values are unique among the live records of an entity; with `DROPPING`, were. */
export interface UniqueConstraint {
  /** Names of the fields, joined by `+`. */
  readonly name: string;
  readonly fields: readonly string[];
  readonly state: IndexState;
  /** Generation since which values are claimed. */
  readonly since?: number;
  /** Generation that records claim nothing from, when it is dropped. */
  readonly until?: number;
  /** Types that the fields of a dropped constraint had. */
  readonly types?: readonly Pick<FieldDefinition, 'fieldType' | 'elementType' | 'accents'>[];
}
