import { fieldKey } from '../fields/field.ts';
import type { DataType } from '../formats/data-type.ts';

export type BuiltinCategory = 'DATE_TIME' | 'USER' | 'DOCUMENT' | 'LAYOUT' | 'COMPANY' | 'OTHER';

/** A value that every template can show. */
export interface Builtin {
  readonly code: string;
  readonly label: string;
  readonly category: BuiltinCategory;
  readonly dataType: DataType;
  readonly example: string;
  readonly defaultFormat: string | null;
}

type Row = readonly [code: string, label: string, type: DataType, example: string, format?: string];

const rows = (category: BuiltinCategory, list: readonly Row[]): Builtin[] =>
  list.map(([code, label, dataType, example, defaultFormat = null]) => ({
    code,
    label,
    category,
    dataType,
    example,
    defaultFormat,
  }));

/** All of them, in the order in which they are listed. */
export const BUILTINS: readonly Builtin[] = [
  ...rows('DATE_TIME', [
    ['today', 'Ngày hiện tại', 'DATE', '01/03/2024', 'dd/MM/yyyy'],
    ['now', 'Thời điểm hiện tại', 'DATETIME', '01/03/2024 03:30', 'dd/MM/yyyy HH:mm'],
    ['currentDay', 'Ngày trong tháng', 'STRING', '01'],
    ['currentMonth', 'Tháng hiện tại', 'STRING', '03'],
    ['currentYear', 'Năm hiện tại', 'STRING', '2024'],
    ['currentTime', 'Giờ hiện tại', 'TIME', '03:30', 'HH:mm'],
    ['todayLong', 'Ngày tháng năm bằng chữ', 'STRING', 'ngày 01 tháng 03 năm 2024'],
    ['dayOfWeek', 'Thứ trong tuần', 'STRING', 'Thứ Sáu'],
  ]),
  ...rows('USER', [
    ['currentUserId', 'Mã người dùng', 'STRING', '019caf0a-6c40-7d3e-9a51-3f1f4b7f2a10'],
    ['currentUserName', 'Tên đăng nhập', 'STRING', 'lan'],
    ['currentUserFullName', 'Họ tên người dùng', 'STRING', 'Nguyễn Thị Lan'],
    ['currentUserEmail', 'Thư điện tử người dùng', 'STRING', 'lan@example.com'],
    ['currentUserDepartment', 'Phòng ban người dùng', 'STRING', 'Phòng Nhân sự'],
  ]),
  ...rows('DOCUMENT', [
    ['documentNumber', 'Số văn bản', 'STRING', '0001/2024/HDLD'],
    ['generationId', 'Mã lần tạo', 'STRING', '019caf0a-6c40-7d3e-9a51-3f1f4b7f2a10'],
    ['templateCode', 'Mã mẫu', 'STRING', 'HDLD'],
    ['templateName', 'Tên mẫu', 'STRING', 'Hợp đồng lao động'],
    ['fileName', 'Tên tệp', 'STRING', 'HDLD_20240301-033000.docx'],
    ['outputFormat', 'Định dạng', 'STRING', 'DOCX'],
    ['entityType', 'Loại đối tượng', 'STRING', 'employee'],
    ['entityId', 'Mã đối tượng', 'STRING', '019caf0a-6c40-7d3e-9a51-3f1f4b7f2a10'],
  ]),
  ...rows('LAYOUT', [
    ['pageNumber', 'Số trang', 'INTEGER', '1'],
    ['pageCount', 'Tổng số trang', 'INTEGER', '4'],
  ]),
  ...rows('COMPANY', [
    ['companyName', 'Tên công ty', 'STRING', 'Công ty TNHH Sao Mai'],
    ['companyAddress', 'Địa chỉ công ty', 'STRING', '12 Lê Lợi, Hà Nội'],
    ['companyTaxCode', 'Mã số thuế', 'STRING', '0101234567'],
  ]),
  ...rows('OTHER', [['uuid', 'Mã duy nhất', 'STRING', '019caf0a-6c40-7d3e-9a51-3f1f4b7f2a10']]),
];

const byKey = new Map(BUILTINS.map((builtin) => [fieldKey(builtin.code), builtin]));

/** Finds a builtin by its code, whatever the case. */
export const builtinOf = (code: string): Builtin | undefined => byKey.get(fieldKey(code));
