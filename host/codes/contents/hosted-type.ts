import type { Act, CodeFields, FieldName, PageType } from '#contract/contents/contents';
import type { Landing } from '#contract/contents/landings';
import type { ImportField } from '#contract/imports';
import type { Words } from '#host/codes/import/word-reader';

/** A code as a visit finds it. */
export interface VisitedCode {
  id: string;
  content: string;
  subject: string;
  body: string;
  /** Its web addresses at blocked hosts. */
  blockedLinks: readonly string[];
}

/** A file that a visitor's browser hands to the program for its type. */
export interface ContentFile {
  name: string;
  /** With its character set. */
  mediaType: string;
  text: string;
}

/** What the host does with a type of content besides storing it. */
export interface HostedType {
  /** A content as it is stored; without it, as it was composed. */
  stored?(content: string): string;
  /** A stored content as its owner would write it. */
  displayed?(content: string): string;
  /** For types with a page, what that shows. */
  landing?(code: VisitedCode): Landing & { kind: PageType };
  /** Where visitors with a system such as `ios` are redirected to at once; null if they get the page. */
  redirect?(code: VisitedCode, os: string): string | null;
  /** Where an act on the page leads, always a part of the content; null for what it no longer has. */
  follow?(code: VisitedCode, act: Act, n: number, os: string): string | null;
  /** The file that an act returns instead of leading somewhere; null for other acts. */
  file?(code: VisitedCode, act: Act, now: Date): ContentFile | null;
  /** The web addresses in a content. */
  urls?(content: string): string[];
  /** Those of them that the page offers to open. */
  links?(content: string, blocked: readonly string[]): string[];

  /** How files to import call it. */
  words: Words;
  /** Headers of the columns for its fields. */
  headers?: Partial<Record<FieldName, string>>;
  /** Whether a cell holds nothing but a content of this type, whatever stands around it. */
  recognises?(cell: string): boolean;
  /** Whether a cell can be the content of a row of this type; without it, any content can. */
  accepts?(cell: string): boolean;
  /** Whether a row that names no type is of this one; the types are asked from the last to the first. */
  isMeant?(content: string, cellOf: (field: ImportField) => string): boolean;
  /** A cell without what other products write before such a content. */
  cleaned?(cell: string): string;
  /** Whether a cell holds the content as it is stored. */
  isStored?(cell: string): boolean;
  /** The fields that are columns of their own. */
  readCells?(cellOf: (field: ImportField) => string): {
    fields: Partial<CodeFields>;
    refused: Partial<Record<ImportField, string>>;
  };
}
