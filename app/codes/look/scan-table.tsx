import { useTranslation } from 'react-i18next';
import { TableScroller } from '~/ui/table-scroller';
import { DECODER_NAMES, DECODERS, type Decoder, type ScanReport, VIEWS } from './scan-report';

/** What each decoder read in each view of a drawing, and in the proof pictures of a look. */
export function ScanTable({ scan: { missed, proofs } }: { scan: ScanReport }) {
  const { t } = useTranslation('design');
  const rows: { name: string; missedBy: Decoder[] }[] = [
    ...VIEWS.map((view) => ({
      name: t(`scan.views.${view}`),
      missedBy: missed.find((one) => one.view === view)?.decoders ?? [],
    })),
    ...proofs.map(({ proof, missedBy }) => ({ name: t(`scan.proofs.${proof}`), missedBy })),
  ];
  return (
    <TableScroller labelledBy="scan-table">
      <table className="table">
        <caption>
          <h3 id="scan-table">{t('scan.table')}</h3>
        </caption>
        <thead>
          <tr>
            <th scope="col">{t('scan.picture')}</th>
            {DECODERS.map((decoder) => (
              <th key={decoder} scope="col">
                {DECODER_NAMES[decoder]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, missedBy }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {DECODERS.map((decoder) => (
                <td key={decoder}>{t(missedBy.includes(decoder) ? 'scan.notRead' : 'scan.read')}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroller>
  );
}
