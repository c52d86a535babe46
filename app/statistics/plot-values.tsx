import { useTranslation } from 'react-i18next';
import type { DataTable } from './chart-data';

interface Props {
  /** Tells the charts of a page apart. */
  name: string;
  title: string;
  table: DataTable;
}

/**
 * The values of each column, in a line above the drawing: of the one under the pointer, else of the chosen one, at
 * first the last. Radio buttons are one stop of the keyboard, on which the arrow keys walk along the chart, and need no
 * script.
 */
export function PlotValues({ name, title, table: { head, rows } }: Props) {
  const { t } = useTranslation('statistics');
  return (
    <fieldset className="plot__values">
      <legend className="sr-only">{t('table.values', { title })}</legend>
      {rows.map((row, position) => (
        <label key={row.name}>
          <input
            type="radio"
            name={`values-${name}`}
            className="sr-only"
            defaultChecked={position === rows.length - 1}
          />
          <span>
            <strong>{row.name}</strong>{' '}
            {row.values.map((value, column) => `${head[column + 1]} ${value}`).join(' · ')}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
