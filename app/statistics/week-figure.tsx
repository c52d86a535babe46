import { useTranslation } from 'react-i18next';
import { ChartCaption } from './chart-caption';
import type { Week } from './chart-data';

/** A table of weekdays and parts of the day, shaded by its figures. */
export function WeekFigure({ week, note }: { week: Week; note: string | null }) {
  const { t } = useTranslation('statistics');
  const id = `chart-${week.definition}`;
  return (
    <figure className="chart explained">
      <ChartCaption id={id} definition={week.definition} finding={week.finding} note={note} />
      <table className="week" aria-labelledby={id}>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr-only">{t('table.weekday')}</span>
            </th>
            {week.parts.map((from) => (
              <th key={from} scope="col" className="number">
                {from.slice(0, 2)}
                <span className="week__minutes">{from.slice(2)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {week.days.map(({ name, cells }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {cells.map(({ visits, level }, part) => (
                <td key={week.parts[part]} className={`number week__cell week__cell--${level}`}>
                  {visits}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
