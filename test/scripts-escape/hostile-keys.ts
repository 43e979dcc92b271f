/** Keys that have a meaning in JavaScript, in Node.js, in the machine or nowhere. */
export const hostileKeys: readonly string[] = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'toLocaleString', 'valueOf', 'hasOwnProperty'],
  ...['isPrototypeOf', 'propertyIsEnumerable', '__defineGetter__', '__defineSetter__', '__lookupGetter__'],
  ...['then', 'catch', 'finally', 'toJSON', 'Symbol.iterator', '@@iterator', 'Symbol(Symbol.toPrimitive)'],
  ...['arguments', 'caller', 'callee', 'apply', 'call', 'bind', 'eval', 'Function', 'globalThis', 'process'],
  ...['nodejs.util.inspect.custom', 'require', 'import', 'this', 'undefined', 'NaN'],
  ...['slots', 'shape', 'items', 'code', 'captured', 'version', 'measured', 'steps', 'waits', 'body'],
  ...['value', 'done', 'next', 'return', 'throw', 'callback', 'args', 'pc', 'base', 'keys', 'entries'],
  ...['0', '-1', '1', '00', '1.5', '1e3', '4294967295', '-0', 'Infinity', '', ' ', '.', 'a.b', '#', '$&'],
  ...[
    'a\u0000b',
    '\u0000',
    '\ud800',
    '\udc00\ud800',
    '\u2028',
    '\ufeff',
    '😀',
    '\u202e',
    '"',
    '\\',
    '</script>',
  ],
  'k'.repeat(50_000),
]

const keywords = new Set(
  'var if then elseif else end switch do case default while for foreach in to downto by return fail exit break continue func union match delete and or not is true false null number string boolean object array'.split(
    ' ',
  ),
)

/** Whether a key can follow a dot or be written without quotation marks. */
export const isName = (key: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(key)

/** Whether a key can name a variable; words that are numbers cannot. */
export const isIdentifier = (key: string): boolean =>
  isName(key) && !keywords.has(key) && !/^(inf|infinity|nan)$/i.test(key)
