/**
 * The scripts of the bench: each task in the script language, and in JavaScript for the sandboxed engine and for Node.js. Each
 * leaves its result in `Data.r`, so that the bench can check that all engines did the same.
 */

export type Source = {
  readonly name: string
  readonly about: string
  readonly script: string
  /** The body of a function of `Data`; the sandboxed engine reads its text. */
  readonly javaScript: (Data: Json) => void
  readonly input: () => Json
}

type Json = { [key: string]: unknown; r?: unknown }

export const sources: readonly Source[] = [
  {
    name: 'arithmetic',
    about: '300,000 rounds of a loop with arithmetic and comparisons',
    script: `
var sum = 0
var even = 0
for i in 0 to 300000 do
  sum = (sum + i * 3) % 1000003
  if i % 2 == 0 then even = even + 1 end
end
Data.r = [sum, even]`,
    javaScript: (Data) => {
      let sum = 0
      let even = 0
      for (let i = 0; i < 300000; i++) {
        sum = (sum + i * 3) % 1000003
        if (i % 2 === 0) even = even + 1
      }
      Data.r = [sum, even]
    },
    input: () => ({}),
  },
  {
    name: 'strings',
    about: 'a text built from 50,000 pieces, then split, counted and joined',
    script: `
var text = ""
for i in 0 to 50000 do
  text = text + "item " + i + ";"
end
var parts = Split(text, ";")
var long = 0
foreach part in parts do
  if Length(part) > 9 then long = long + 1 end
end
Data.r = [Length(text), long, Length(Join(parts, "--")), ToUpper(Substring(text, 0, 20))]`,
    javaScript: (Data) => {
      let text = ''
      for (let i = 0; i < 50000; i++) text = `${text}item ${i};`
      const parts = text.split(';')
      let long = 0
      for (const part of parts) if (part.length > 9) long = long + 1
      Data.r = [text.length, long, parts.join('--').length, text.slice(0, 20).toUpperCase()]
    },
    input: () => ({}),
  },
  {
    name: 'objects and arrays',
    about: '60,000 objects made, kept in an array, read and changed',
    script: `
var all = []
for i in 0 to 60000 do
  all[i] = {id: i, name: "n" + i, tags: [i % 7, i % 11], open: i % 3 == 0}
end
var sum = 0
foreach one in all do
  if one.open then
    one.total = one.tags[0] * 10 + one.tags[1]
    sum = sum + one.total
  end
end
Data.r = [sum, Length(all), all[59999].name]`,
    javaScript: (Data) => {
      type One = { id: number; name: string; tags: number[]; open: boolean; total?: number }
      const all: One[] = []
      for (let i = 0; i < 60000; i++) {
        all[i] = { id: i, name: `n${i}`, tags: [i % 7, i % 11], open: i % 3 === 0 }
      }
      let sum = 0
      for (const one of all) {
        if (one.open) {
          one.total = one.tags[0]! * 10 + one.tags[1]!
          sum = sum + one.total
        }
      }
      Data.r = [sum, all.length, all[59999]!.name]
    },
    input: () => ({}),
  },
  {
    name: 'functions',
    about: 'a recursive function called 242,785 times',
    script: `
func fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end
Data.r = fib(25)`,
    javaScript: (Data) => {
      const fib = (n: number): number => {
        if (n < 2) return n
        return fib(n - 1) + fib(n - 2)
      }
      Data.r = fib(25)
    },
    input: () => ({}),
  },
  {
    name: 'sorting',
    about: '10,000 objects sorted, filtered and mapped by lambdas',
    script: `
var sorted = SortBy(Data.items, x => x.key)
var large = Where(sorted, x => x.key > 500000)
Data.r = [sorted[0].key, sorted[9999].key, Sum(Map(large, x => x.key % 10))]
delete Data.items`,
    javaScript: (Data) => {
      type Item = { key: number }
      const items = Data.items as Item[]
      const sorted = items.slice().sort((a, b) => a.key - b.key)
      const large = sorted.filter((x) => x.key > 500000)
      Data.r = [sorted[0]!.key, sorted[9999]!.key, large.map((x) => x.key % 10).reduce((a, b) => a + b, 0)]
      delete Data.items
    },
    input: () => ({
      items: Array.from({ length: 10_000 }, (_, i) => ({ key: (i * 7919 + 13) % 1_000_003 })),
    }),
  },
  {
    name: 'JSON transformation',
    about: '10,000 records grouped, totalled and rewritten',
    script: `
var groups = {}
var out = []
foreach booking in Data.bookings do
  var key = booking.costCentre
  if not HasProperty(groups, key) then groups[key] = {count: 0, total: 0} end
  var group = groups[key]
  group.count = group.count + 1
  group.total = group.total + booking.amount
  if booking.ticketed and booking.amount > 500 then
    out[Length(out)] = {ref: ToUpper(booking.locator), amount: booking.amount, where: booking.from + "-" + booking.to}
  end
end
Data.r = [Length(Keys(groups)), Length(out), Length(ToJson(out))]
delete Data.bookings`,
    javaScript: (Data) => {
      type Booking = {
        costCentre: string
        amount: number
        ticketed: boolean
        locator: string
        from: string
        to: string
      }
      const groups: { [key: string]: { count: number; total: number } } = {}
      const out: object[] = []
      for (const booking of Data.bookings as Booking[]) {
        const key = booking.costCentre
        if (!Object.hasOwn(groups, key)) groups[key] = { count: 0, total: 0 }
        const group = groups[key]!
        group.count = group.count + 1
        group.total = group.total + booking.amount
        if (booking.ticketed && booking.amount > 500) {
          out[out.length] = {
            ref: booking.locator.toUpperCase(),
            amount: booking.amount,
            where: `${booking.from}-${booking.to}`,
          }
        }
      }
      Data.r = [Object.keys(groups).length, out.length, JSON.stringify(out).length]
      delete Data.bookings
    },
    input: () => ({
      bookings: Array.from({ length: 10_000 }, (_, i) => ({
        locator: `ab${i.toString(36)}`,
        costCentre: `CC${i % 97}`,
        amount: ((i * 7919) % 200_000) / 100,
        ticketed: i % 3 !== 0,
        from: 'SYD',
        to: ['MEL', 'BNE', 'PER'][i % 3],
        traveller: { first: 'Ada', last: `Number ${i}` },
      })),
    }),
  },
]
