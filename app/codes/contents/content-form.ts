import type { ComponentType, InputHTMLAttributes } from 'react';
import type { FieldName, InputName } from '#contract/contents/contents';
import type { TextName } from '~/i18n/text-keys';
import type { FieldMeta } from '~/ui/field';
import type { IconName } from '~/ui/icon';

export interface DetailsProps {
  fields: Record<FieldName, FieldMeta>;
  message: (codes: string[] | undefined) => string | undefined;
  /** Lines of a text area. */
  rows?: number;
}

/** What the pages need of a type of content. Browsers load it with every form: the rules are in `contract/contents`. */
export interface ContentForm {
  icon: IconName;
  /** The input that has the content or, of several, the first one. Types with the same one share it. */
  main: InputName;
  /** Key of its label. */
  label: TextName<'design', 'form'>;
  /** Attributes of that input. */
  control: Pick<
    InputHTMLAttributes<HTMLInputElement>,
    'type' | 'autoComplete' | 'autoCapitalize' | 'spellCheck' | 'inputMode'
  >;
  /** Whether it may have several lines. */
  isMultiline?: true;
  /** Whether it may be left empty. */
  isOptional?: true;
  /** Key of a note before it. */
  note?: TextName<'design', 'form'>;
  /** Key of a hint below its label. */
  hint?: TextName<'design', 'form'>;
  /** Its other inputs. */
  Details?: ComponentType<DetailsProps>;
  /** Inputs whose errors disappear when another changes, by the name of that one. */
  related?: Partial<Record<InputName, readonly FieldName[]>>;
  /** Key of a note about its columns in files to import. */
  importNote?: TextName<'codes', 'import.how'>;
  /** Where a code leads, for its own page. */
  Lead?: ComponentType<{ content: string }>;
}
