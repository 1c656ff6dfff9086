agent.name = "well-behaved"
agent.description = "Answers as it should."
agent.tools = {}
function agent.resolve(args, config, context)
  local fine, found = pcall(context.search, args.word)
  local clean = leaked == nil and getmetatable(_G) == nil and string.format("%d", 7) == "7" and ("a"):upper() == "A"
    and math.floor(1.5) == 1 and json.encode({ 1 }) == "[1]" and args.extra == nil and type(print) == "function"
    and type(table.insert) == "function"
  return { system = found[1].title .. " for " .. args.word, clean = clean and fine }
end
