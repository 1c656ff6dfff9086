function agent.resolve()
  while true do end
end
