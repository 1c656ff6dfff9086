function agent.resolve(args, config, context)
  table.sort({ 2, 1 }, function() return context.get("never") ~= nil end)
end
