export const builtin = {
  code: 'today',
  label: 'Ngày hiện tại',
  category: 'DATE_TIME',
  dataType: 'DATE',
  example: '01/03/2024',
  defaultFormat: 'dd/MM/yyyy',
  system: true,
};

export const newConstant = {
  code: 'hotline',
  label: 'Hotline',
  value: '1900 1234',
  dataType: 'STRING',
};

export const constant = {
  ...{ code: 'hotline', label: 'Hotline', category: 'CONSTANT', dataType: 'STRING' },
  ...{ example: '1900 1234', defaultFormat: null, system: false, value: '1900 1234' },
  ...{ version: 1, updatedAt: '2026-03-01T09:30:00.000Z', updatedBy: 'demo' },
};

export const resolved = { today: '01/03/2026', companyName: 'Công ty TNHH Sao Mai' };
