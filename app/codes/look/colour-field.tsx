import { useTranslation } from 'react-i18next';
import { controlProps, type FieldMeta, FieldNotes } from '~/ui/field';
import { pickable } from './look-input';

interface Props {
  field: FieldMeta;
  label: string;
  error: string | undefined;
}

/**
 * Text input for a colour, which is authoritative, and the browser's colour picker, which fills in the text.
 */
export function ColourField({ field, label, error }: Props) {
  const { t } = useTranslation('look');
  return (
    <div className="field colour">
      <label htmlFor={field.id}>{label}</label> <FieldNotes id={field.id} error={error} />
      <div className="colour__controls">
        <label htmlFor={`${field.id}-picked`} className="sr-only">
          {t('colours.pick', { name: label })}
        </label>{' '}
        <input
          type="color"
          id={`${field.id}-picked`}
          name={`${field.name}Picked`}
          defaultValue={pickable(field.initialValue)}
        />{' '}
        <input
          type="text"
          {...controlProps(field, { error })}
          defaultValue={field.initialValue}
          className="input mono"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          size={9}
        />
      </div>
    </div>
  );
}
