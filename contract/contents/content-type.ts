// What every type of content declares. The modules beside this file are its only implementations; they are loaded by
// browsers too, so they must not need Node or a library.

/** A text that is typed. */
export interface TextField {
  /** Most characters (code points). */
  max: number;
  /** Most UTF-16 code units read, valid or not. */
  units: number;
  /** Name of its input if it differs: no name may occur twice in the form. */
  input?: string;
  /** Spaces at its ends belong to it. */
  isExact?: boolean;
  /** What it has to be, in contents of several texts; a line of text if absent. */
  holds?: 'lines' | 'phone' | 'email' | 'link';
}

/** The first option is the default. */
interface ChoiceField {
  options: readonly [string, ...string[]];
}

interface FlagField {
  isFlag: true;
}

/** What the database keeps of a content. */
export interface Stored {
  content: string;
  subject?: string;
  body?: string;
}

/** Whether an address opens one of our own codes: a code that opens another, or itself, can loop. */
export type OpensCode = (link: string) => boolean;

export interface ContentType<Fields, Code extends string = string> {
  /**
   * What a visit of the code's address does: redirect to its content, whose destination may report engagements; show a
   * page, which reports them itself; redirect to the address for the visitor's system, or show a page if there is none,
   * so that engagements would be those of a few; or nothing, as the image holds the content and can be neither changed
   * nor counted.
   */
  visit: 'redirect' | 'page' | 'system' | null;
  /** Without a visit, why the code can be neither changed nor private. */
  refusals?: { change: Code; hide: Code };
  /** What a visitor can do on its page besides copying. */
  acts: readonly string[];
  /** Name of the field that has the content or, of several, names it. */
  main: string;
  /** Its inputs; besides `content`, also columns of files to import. */
  fields: Record<string, TextField | ChoiceField | FlagField>;
  /** Every problem that prevents the fields from becoming a code. */
  check(fields: Fields, opensCode: OpensCode): { field: string; code: Code }[];
  /** What is counted against the limit of a content. */
  counted(fields: Fields): string;
  /** What is stored for valid fields. */
  compose(fields: Fields): Stored;
  /** The fields of a stored content, or its problem; without it, they are the stored texts. */
  parse?(content: string): { fields: Partial<Fields> } | { problem: Code };
  /** What the image of a code holds that needs no visit. */
  payload(stored: Stored): string;
  /** The content in one short line. */
  line?(content: string): string;
  /** The content as its owner reads and searches it, if it is not stored so. */
  text?(content: string): string;
  /** The web addresses of a content that its owner entered as such, by field. */
  links?(content: string): { field: string; link: string }[];
}
