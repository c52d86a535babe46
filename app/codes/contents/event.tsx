import { useTranslation } from 'react-i18next';
import { zoneLabel, zoneNames } from '~/i18n/zone-names';
import { SelectField } from '~/ui/field';
import type { ContentForm, DetailsProps } from './content-form';
import { LINK_INPUT, PartArea, PartField } from './part-fields';

export const event: ContentForm = {
  icon: 'event',
  main: 'eventTitle',
  label: 'eventTitle',
  control: { type: 'text', autoComplete: 'off' },
  Details,
  importNote: 'event',
  related: {
    startDate: ['endDate'],
    startTime: ['endDate', 'endTime'],
    endTime: ['endDate', 'startTime'],
    endDate: ['endTime'],
  },
};

function Details(props: DetailsProps) {
  const { t } = useTranslation('design');
  const zone = props.fields.timeZone;
  return (
    <>
      <div className="parts">
        <PartField {...props} name="startDate" type="date" isRequired />
        <PartField {...props} name="startTime" type="time" hint="startTimeHint" />
        <PartField {...props} name="endDate" type="date" hint="endDateHint" />
        <PartField {...props} name="endTime" type="time" hint="endTimeHint" />
      </div>
      <SelectField
        field={zone}
        label={t('form.timeZone')}
        error={props.message(zone.errors)}
        options={zoneNames(zone.initialValue ?? 'UTC').map((value) => ({ value, label: zoneLabel(value) }))}
      />
      <PartField {...props} name="venue" hint="venueHint" autoComplete="off" />
      <PartArea {...props} name="description" />
      <PartField {...props} name="eventPage" {...LINK_INPUT} />
    </>
  );
}
