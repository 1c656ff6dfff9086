function agent.resolve(args, config, context)
  local options = {}
  for i = 1, 199000 do options["k" .. i] = i end
  return context.search("words", options)
end
