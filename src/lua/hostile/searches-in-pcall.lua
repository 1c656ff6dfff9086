function agent.resolve(args, config, context)
  while true do pcall(context.search, "words") end
end
