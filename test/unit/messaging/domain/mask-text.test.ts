import { describe, expect, it } from 'vitest';
import { maskText } from '../../../../functions/messaging/domain/masking/mask-text.ts';
import { seededRandom } from '../../../helpers/seeded-random.ts';

const SECRET = 'hunter2';

describe('maskText', () => {
  it.each([
    ['{"a":{"password":"hunter2"},"b":1}', '{"a":{"password":"******"},"b":1}'],
    ['[{"clientSecret":"hunter2"}]', '[{"clientSecret":"******"}]'],
    ['{"body":"{\\"token\\":\\"hunter2\\"}"}', '{"body":"{\\"token\\":\\"******\\"}"}'],
    ['{"total": 1.50}', '{"total": 1.50}'],
    ['a=1&access_token=hunter2', 'a=1&access_token=******'],
    ['api%5Fkey=hunter2&b=%20', 'api%5Fkey=******&b=%20'],
    ['a=%7B%22secret%22%3A%22hunter2%22%7D', 'a=%7B%22secret%22%3A%22******%22%7D'],
    ['user: mai\nPassword: hunter2', 'user: mai\nPassword: ******'],
    ['db.password = hunter2', 'db.password = ******'],
    ['Authorization: Bearer hunter2', 'Authorization: ******'],
    [
      '<?xml version="1.0"?><w:a><w:b>1</w:b><w:Password>hunter2</w:Password></w:a>',
      '<?xml version="1.0"?><w:a><w:b>1</w:b><w:Password>******</w:Password></w:a>',
    ],
    ['<a secret="hunter2" id="1"/>', '<a secret="******" id="1"/>'],
    ['<p name="apiKey" value="hunter2"/>', '<p name="apiKey" value="******"/>'],
    ['<p name="apiKey">hunter2</p>', '<p name="apiKey">******</p>'],
    ['<token><deep>hunter2</deep></token>', '<token><deep>******</deep></token>'],
    ['<a>{"token":"hunter2"}</a>', '<a>{"token":"******"}</a>'],
    ['', ''],
  ])('%s becomes %s', (text, shown) => {
    expect(maskText(text)).toBe(shown);
  });

  it.each([
    '{"password":"hunter2"',
    'the password is hunter2',
    'a: 1, password: hunter2',
    'a=1;password=hunter2',
    '<a><!-- hunter2 --></a>',
    '<a><![CDATA[<password>hunter2</password>]]></a>',
    '<password>hunter2',
    '<a>&lt;password&gt;hunter2&lt;/password&gt;</b>',
    'user: mai\nhunter2',
    'https://mai:hunter2@example.com',
    '"password","hunter2"',
    'hunter2',
  ])('shows only size and hash of %s', (text) => {
    expect(maskText(text)).toEqual({
      size: text.length,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('shows no secret of a text that is cut or joined anywhere', () => {
    const random = seededRandom(20);
    const whole = [
      `{"a":1,"password":"${SECRET}"}`,
      `a=1&password=${SECRET}`,
      `<a><password>${SECRET}</password></a>`,
      `a: 1\npassword: ${SECRET}`,
    ];
    const leaks: string[] = [];

    for (let i = 0; i < 4_000; i += 1) {
      const one = whole[Math.floor(random() * whole.length)] ?? '';
      const other = whole[Math.floor(random() * whole.length)] ?? '';
      const text = one.slice(0, Math.floor(random() * one.length)) + other;
      const shown = maskText(text);
      if (typeof shown === 'string' && shown.includes(SECRET)) leaks.push(text);
    }

    expect(leaks).toEqual([]);
  });
});
