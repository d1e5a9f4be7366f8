import fc from 'fast-check';
import { types } from 'pg';
import { bindOf, columnsOf, fieldsOf, valuesOf } from './query-protocol.js';
import { nameOfType, parameterText, resultValue } from './query-values.js';

const { builtins } = types;

describe('parameterText', () => {
  it.each<[unknown, number, string | null]>([
    [null, builtins.TEXT, null],
    ['x', builtins.TEXT, 'x'],
    [1.5, builtins.NUMERIC, '1.5'],
    [true, builtins.BOOL, 'true'],
    [{ a: 1 }, builtins.JSONB, '{"a":1}'],
    [[1, 'a'], builtins.JSONB, '[1,"a"]'],
    [[1, null, [2]], 1007, '{"1",NULL,{"2"}}'],
    [['a"b\\c', '', 'NULL'], 1009, '{"a\\"b\\\\c","","NULL"}'],
  ])('writes %j for type %d', (value, type, text) => {
    expect(parameterText(value, type)).toBe(text);
  });
});

describe('resultValue', () => {
  it.each<[string | null, number, unknown]>([
    [null, builtins.INT4, null],
    ['t', builtins.BOOL, true],
    ['-5', builtins.INT4, -5],
    ['9007199254740993', builtins.INT8, '9007199254740993'],
    ['1.10', builtins.NUMERIC, '1.10'],
    ['NaN', builtins.FLOAT8, 'NaN'],
    ['1.5', builtins.FLOAT8, 1.5],
    ['{"a":[1]}', builtins.JSONB, { a: [1] }],
    ['2026-01-01', builtins.DATE, '2026-01-01'],
  ])('reads %j of type %d', (text, type, value) => {
    expect(resultValue(text, type)).toEqual(value);
  });

  it('knows the names of types', () => {
    expect(nameOfType(builtins.TIMESTAMPTZ)).toBe('timestamptz');
    expect(nameOfType(999_999)).toBeUndefined();
  });
});

describe('the messages of a statement', () => {
  it('read the values that a row has', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.string({ unit: 'grapheme' }))), (values) => {
        // The parameters of `Bind` have the form of a row.
        const bind = bindOf(values);
        expect(valuesOf(bind.subarray(9, bind.length - 2))).toEqual(values);
      }),
    );
  });

  it('read columns and errors', () => {
    const column = Buffer.concat([Buffer.from('n\0'), Buffer.alloc(18)]);
    column.writeUInt32BE(23, 2 + 6);
    expect(columnsOf(Buffer.concat([Buffer.from([0, 1]), column]))).toEqual([{ name: 'n', typeId: 23 }]);
    expect([...fieldsOf(Buffer.from('C42P01\0Mno\0\0'))]).toEqual([
      ['C', '42P01'],
      ['M', 'no'],
    ]);
  });
});
