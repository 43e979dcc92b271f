/** Scripts that allocate without end, in the ways that once took more memory than was counted. */
export const worstPrograms: readonly (readonly [what: string, script: string])[] = [
  ['equal texts', 'var l = [] while true do l.add(PadRight("x", 1000000, "€")) end'],
  ['slices', 'var l = [] while true do l.add(Substring(PadRight("x", 1000000, "€"), 0, 125001)) end'],
  ['pieces', 'var l = [] while true do l.add(Split(PadRight("x,", 1000000, "€"), ",")[1]) end'],
  ['captured texts', 'var l = [] while true do var s = PadRight("x", 100000, "€") l.add(x => s) end'],
  ['equal JSON', 'var l = [] while true do l.add(ToJson({"a": PadRight("x", 100000, "y")})) end'],
  ['concatenated texts', 'var l = [] var s = PadRight("x", 100000, "€") while true do l.add(s + "y") end'],
  [
    'objects with keys of their own',
    'var l = [] var i = 0 while true do i = i + 1 var o = {} o["k" + i] = i l.add(o) end',
  ],
  [
    'fractions beside others',
    'var d = Range(0.5, 100000) var l = [] while true do l.add(Append(d, "x")) end',
  ],
  ['fractions inserted', 'var d = Range(0.5, 100000) var l = [] while true do l.add(Insert(d, 0, {})) end'],
  ['negative zeros', 'var l = [{}] var z = 0 while true do l.add(z * -1) end'],
  ['characters', 'var s = PadRight("", 10, "€") var l = [] while true do l.add(s[1]) end'],
  [
    'characters of a loop',
    'var s = PadRight("", 900000, "€") var l = [] while true do foreach c in s do l.add(c) end end',
  ],
  ['parts to join', 'var a = Range(10000, 1700000) while true do var t = Join(a, "") end'],
  ['small appended arrays', 'var l = [] while true do l.add(Append([], 1)) end'],
  [
    'wide texts beside narrow ones',
    `var n = PadRight("a", 40, "x") var k = [n] var s = "${'€'.repeat(40)}" for i in 0 to 14 do s = s + s end var l = [] while true do var t = s + "y" var c = t[0] l.add(t) end`,
  ],
  [
    'numbers in places',
    'var l = Range(1, 1000000) for i in 0 to 1000000 do l[i] = i + 0.5 end while true do l.add(0.5) end',
  ],
  ['modes', 'var a = Range(0, 1500000) while true do var m = Mode(a) end'],
  ['many fields', 'var f = Map(Range(1, 700000), x => "a") while true do var p = Project([], f) end'],
  [
    'JSON of many numbers',
    'var s = PadRight("", 1000000, "x") var t = Replace(s, "x", "5e9,") t = t + t while true do var v = FromJson("[null," + t + "1]") end',
  ],
  ['wide texts as JSON', 'var s = PadRight("x", 2000, "€") var l = [] while true do l.add(ToJson(s)) end'],
  [
    'states of patterns',
    'var t = RandomString(1800, "abcdefgh") var i = 0 while true do i = i + 1 RegexTest(t, "[a-g][a-h]{" + (800 + i % 90) + "}[cd]") end',
  ],
]
